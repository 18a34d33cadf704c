<?php
/**
 * Amounts: decimal text of WooCommerce, integers of minor units of Bursar.
 *
 * @package Bursar
 */

defined( 'ABSPATH' ) || exit;

/** Amounts, without a float between them. */
final class Bursar_Money {

	/** The currencies that a Bursar wallet has. Both have two decimals. */
	const CURRENCIES = array( 'NGN', 'USD' );

	/**
	 * Minor units of an amount.
	 *
	 * @param string|int|float $amount As WooCommerce has it: `1234.5`.
	 * @return int|null Null for what is no positive amount of at most two decimals.
	 */
	public static function minor( $amount ) {
		$text = is_float( $amount ) ? number_format( $amount, 4, '.', '' ) : (string) $amount;
		if ( PHP_INT_SIZE < 8 || ! preg_match( '/^(\d{1,15})(?:\.(\d*))?$/', $text, $parts ) ) {
			return null;
		}
		$decimals = rtrim( isset( $parts[2] ) ? $parts[2] : '', '0' );
		if ( strlen( $decimals ) > 2 ) {
			return null;
		}
		$minor = (int) ( $parts[1] . str_pad( $decimals, 2, '0' ) );
		return $minor > 0 ? $minor : null;
	}

	/**
	 * An amount as a person reads it: `NGN 1234.50`.
	 *
	 * @param int    $minor    Minor units.
	 * @param string $currency Its code, in either case.
	 */
	public static function text( $minor, $currency ) {
		return sprintf( '%s %d.%02d', strtoupper( $currency ), intdiv( $minor, 100 ), $minor % 100 );
	}
}
