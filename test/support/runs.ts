/**
 * How often a property is tried in this run: half of its whole number, or the whole in `npm run check:long`, which asks for it.
 */
export const runs = (whole: number): number => (process.env.PROPERTY_RUNS === 'whole' ? whole : Math.ceil(whole / 2))
