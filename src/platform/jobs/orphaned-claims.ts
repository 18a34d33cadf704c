/**
 * Orphaned claims: the database has them, but this process does not know, because a statement that
 * claims or completes work lost its answer. The worker itself releases them, because it is alive.
 */
export class OrphanedClaims {
  private mayExist = false

  /** Some claims may be orphaned. */
  mark(): void {
    this.mayExist = true
  }

  /** Runs a statement on claims, and on failure marks that some may be orphaned. */
  async watch<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      this.mark()
      throw error
    }
  }

  /**
   * Releases orphaned claims. @param release reads the running work first, and releases all other
   * claims
   */
  async release(release: () => Promise<unknown>): Promise<void> {
    if (!this.mayExist) return
    // Before, not after: running work may become orphaned meanwhile.
    this.mayExist = false
    await this.watch(release)
  }
}
