<?php
/**
 * The webhook: who signed it, and whose order it is about.
 *
 * @package Bursar
 */

defined( 'ABSPATH' ) || exit;

/** `POST /wp-json/bursar/v1/webhook`. */
final class Bursar_Webhook {

	/** What to register it for. */
	const EVENTS = array(
		'payment.completed',
		'payment.failed',
		'payment.expired',
		'payment.canceled',
		'refund.completed',
		'refund.failed',
		'virtual_account.deposit',
		'crypto.deposit',
	);

	/** How old a delivery may be, in seconds, or how far ahead. */
	const TOLERANCE = 300;

	/** The address to register. */
	public static function url() {
		return rest_url( 'bursar/v1/webhook' );
	}

	/** Makes the route. Who may post is said by the signature. */
	public static function register() {
		register_rest_route(
			'bursar/v1',
			'/webhook',
			array(
				'methods'             => 'POST',
				'callback'            => array( __CLASS__, 'receive' ),
				'permission_callback' => '__return_true',
			)
		);
	}

	/**
	 * Takes a delivery.
	 *
	 * @param WP_REST_Request $request With the raw bytes of the body, since those are signed.
	 * @return WP_REST_Response
	 */
	public static function receive( $request ) {
		$settings = get_option( 'woocommerce_bursar_settings', array() );
		$body     = $request->get_body();
		$wrong    = self::unsigned( $request, $body, (string) ( $settings['webhook_secret'] ?? '' ), time() );
		if ( null !== $wrong ) {
			return new WP_REST_Response( array( 'message' => $wrong ), 401 );
		}
		$event = json_decode( $body, true );
		if ( ! is_array( $event ) || ! is_string( $event['type'] ?? null ) || ! is_array( $event['payload'] ?? null ) ) {
			return new WP_REST_Response( array( 'message' => 'This is no event.' ), 400 );
		}
		try {
			Bursar_Orders::apply_event( $event['type'], $event['payload'] );
		} catch ( Bursar_Error $error ) {
			// It comes again: the order is being changed, or the server could not be asked.
			wc_get_logger()->warning( 'webhook ' . $request->get_header( 'webhook-id' ) . ': ' . $error->getMessage(), array( 'source' => 'bursar' ) );
			return new WP_REST_Response( array( 'message' => $error->getMessage() ), 503 );
		}
		return new WP_REST_Response( null, 204 );
	}

	/**
	 * Why a delivery is not taken: by the headers of Standard Webhooks.
	 *
	 * @param WP_REST_Request $request The delivery.
	 * @param string          $body    Its raw bytes.
	 * @param string          $secret  `weh_…` or `whsec_…`.
	 * @param int             $now     In seconds since 1970.
	 * @return string|null Null when Bursar signed it within the last minutes.
	 */
	private static function unsigned( $request, $body, $secret, $now ) {
		// Of the second spelling the key is what its base64 says.
		$key = 0 === strpos( $secret, 'whsec_' ) ? base64_decode( substr( $secret, 6 ), true ) : $secret; // phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions
		if ( ! $key ) {
			return 'The webhook secret is missing in the settings of the payment method.';
		}
		$id        = (string) $request->get_header( 'webhook-id' );
		$timestamp = (string) $request->get_header( 'webhook-timestamp' );
		if ( '' === $id || ! ctype_digit( $timestamp ) ) {
			return 'webhook-id or webhook-timestamp is missing.';
		}
		if ( abs( $now - (int) $timestamp ) > self::TOLERANCE ) {
			return 'It was sent more than five minutes ago, or ahead: compare the clocks.';
		}
		$expected = 'v1,' . base64_encode( hash_hmac( 'sha256', "$id.$timestamp.$body", $key, true ) ); // phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions
		foreach ( explode( ' ', (string) $request->get_header( 'webhook-signature' ) ) as $given ) {
			if ( hash_equals( $expected, $given ) ) {
				return null;
			}
		}
		return 'No signature fits: compare the webhook secret with the settings of the payment method.';
	}
}
