/**
 * The types of amounts, and of the tables that say where amounts are.
 */
/**
 * An amount in minor units: `number`, or `bigint` of clients that are made with `money: 'bigint'`.
 */
export type Amount = number | bigint;
export type MoneyOption = 'number' | 'bigint';
/**
 * What of an object's fields is money: `true` for an amount, or the name of the field's schema in
 * `money`.
 */
export type Fields = Readonly<Record<string, true | string>>;
