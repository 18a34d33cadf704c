/**
 * The types of amounts, and of the tables that say where amounts are.
 */
export {};
