/** State machines as tables: code rejects other transitions, and the docs draw them. */
export type StateTable<S extends string, T extends string> = {
  name: string
  initial: S
  table: Record<S, Partial<Record<T, S>>>
}

/** Declares a state table: for every state, the next state by trigger. */
export function defineStates<const D extends Record<string, Record<string, string>>>(
  name: string,
  initial: keyof D & string,
  table: D,
): StateTable<keyof D & string, { [S in keyof D]: keyof D[S] }[keyof D] & string> {
  for (const [state, triggers] of Object.entries(table))
    for (const [trigger, next] of Object.entries(triggers))
      if (!(next in table))
        throw new Error(`${name}: ${state} –${trigger}→ ${next} leads to no state`)
  return { name, initial, table } as never
}

/** Returns the next state, or `null` if the table does not allow the trigger. */
export function nextState<S extends string, T extends string>(
  states: StateTable<S, T>,
  from: S,
  trigger: T,
): S | null {
  return states.table[from][trigger] ?? null
}

/** Returns the table as a Mermaid state diagram. */
export function stateDiagram<S extends string, T extends string>(states: StateTable<S, T>): string {
  const lines = ['stateDiagram-v2', `  [*] --> ${states.initial}`]
  for (const [state, triggers] of Object.entries<Partial<Record<string, string>>>(states.table)) {
    for (const [trigger, next] of Object.entries(triggers))
      lines.push(`  ${state} --> ${next}: ${trigger}`)
    if (Object.keys(triggers).length === 0) lines.push(`  ${state} --> [*]`)
  }
  return lines.join('\n')
}
