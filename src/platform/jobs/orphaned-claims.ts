/**
 * Claims that the database may know of and this process does not: a statement that claims, or that
 * records an end, may have lost its answer. They are released by their own worker, because it is
 * alive.
 */
export class OrphanedClaims {
  private mayExist = false

  /** Some claims may be left that nobody works on. */
  mark(): void {
    this.mayExist = true
  }

  /** Runs a statement on claims, and marks what it may leave if it fails. */
  async watch<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      this.mark()
      throw error
    }
  }

  /**
   * Releases what may be left. @param release reads first what is being worked on, and releases the
   * rest
   */
  async release(release: () => Promise<unknown>): Promise<void> {
    if (!this.mayExist) return
    // Before, not after: what is being worked on may be left without a record meanwhile.
    this.mayExist = false
    await this.watch(release)
  }
}
