<?php
/**
 * The server's API, by WordPress's own HTTP.
 *
 * @package Bursar
 */

defined( 'ABSPATH' ) || exit;

/** A refusal of the server, or no answer of it. The message says what to do. */
class Bursar_Error extends Exception {

	/**
	 * The code of a refusal; `unreachable` when there was no answer.
	 *
	 * @var string
	 */
	public $refusal;

	/**
	 * Makes one.
	 *
	 * @param string $refusal The code.
	 * @param string $message What to do.
	 * @param int    $status  The status, or 0.
	 */
	public function __construct( $refusal, $message, $status = 0 ) {
		parent::__construct( $message, $status );
		$this->refusal = $refusal;
	}

	/** Whether it was certainly not done. After anything else the same is to be asked again, under the same key. */
	public function is_certain() {
		return 'unreachable' !== $this->refusal && $this->getCode() >= 400 && $this->getCode() < 500 && 429 !== $this->getCode();
	}
}

/** What the plugin asks of a server. */
final class Bursar_API {

	/**
	 * The server, without a slash at the end.
	 *
	 * @var string
	 */
	private $url;

	/**
	 * The secret key.
	 *
	 * @var string
	 */
	private $key;

	/**
	 * For a server and a key.
	 *
	 * @param string $url The server.
	 * @param string $key A secret key: `sk_test_…` or `sk_live_…`.
	 */
	public function __construct( $url, $key ) {
		$this->url = untrailingslashit( $url );
		$this->key = $key;
	}

	/** The server and key of the settings. */
	public static function of_settings() {
		$settings = get_option( 'woocommerce_bursar_settings', array() );
		return new self( $settings['url'] ?? '', $settings['api_key'] ?? '' );
	}

	/**
	 * Whether the key may be sent to an address: by https, or by http to this machine.
	 *
	 * @param string $url The address of a server.
	 */
	public static function is_safe_url( $url ) {
		$host = strtolower( (string) wp_parse_url( $url, PHP_URL_HOST ) );
		return '' !== $host && ( preg_match( '#^https://#i', $url ) || ( preg_match( '#^http://#i', $url ) && in_array( $host, array( 'localhost', '127.0.0.1', '[::1]' ), true ) ) );
	}

	/** Whether the key moves real money. */
	public function is_live() {
		return 0 === strpos( $this->key, 'sk_live_' );
	}

	/** Whether there is anything to ask with. */
	public function is_set_up() {
		return '' !== $this->url && preg_match( '/^sk_(test|live)_/', $this->key );
	}

	/**
	 * Reads.
	 *
	 * @param string $path    Below the server's address.
	 * @param int    $timeout In seconds.
	 * @return array The record.
	 * @throws Bursar_Error When it is refused, or not answered.
	 */
	public function get( $path, $timeout = 10 ) {
		return $this->ask( 'GET', $path, null, null, $timeout );
	}

	/**
	 * Writes. The same key means the same thing, which is done once.
	 *
	 * @param string $path            Below the server's address.
	 * @param array  $body            What to write.
	 * @param string $idempotency_key Names it.
	 * @return array The record.
	 * @throws Bursar_Error When it is refused, or not answered.
	 */
	public function post( $path, $body, $idempotency_key ) {
		return $this->ask( 'POST', $path, $body, $idempotency_key, 20 );
	}

	/**
	 * Asks, and once again when there was no answer: what is asked again is read, or has a key.
	 *
	 * @param string      $method          GET or POST.
	 * @param string      $path            Below the server's address.
	 * @param array|null  $body            What to write.
	 * @param string|null $idempotency_key Names it.
	 * @param int         $timeout         In seconds.
	 * @return array The record.
	 * @throws Bursar_Error When it is refused, or not answered.
	 */
	private function ask( $method, $path, $body, $idempotency_key, $timeout ) {
		if ( ! self::is_safe_url( $this->url ) ) {
			throw new Bursar_Error( 'insecure_url', __( 'The address of the Bursar server is not https, so the secret key is not sent to it: change the address in the settings.', 'bursar-gateway' ), 400 );
		}
		$request = array(
			'method'      => $method,
			'timeout'     => $timeout,
			'redirection' => 0,
			'headers'     => array(
				'Authorization' => 'Bearer ' . $this->key,
				'Accept'        => 'application/json',
				'User-Agent'    => 'bursar-woocommerce/' . BURSAR_GATEWAY_VERSION . ' php/' . PHP_VERSION,
			),
		);
		if ( 'POST' === $method ) {
			$request['headers']['Content-Type']    = 'application/json';
			$request['headers']['Idempotency-Key'] = $idempotency_key;
			// An empty list would be written as [].
			$request['body'] = wp_json_encode( (object) $body );
		}
		$answer = wp_remote_request( $this->url . $path, $request );
		if ( is_wp_error( $answer ) || in_array( wp_remote_retrieve_response_code( $answer ), array( 502, 503, 504 ), true ) ) {
			$answer = wp_remote_request( $this->url . $path, $request );
		}
		if ( is_wp_error( $answer ) ) {
			/* translators: %s: what went wrong, in English */
			throw new Bursar_Error( 'unreachable', sprintf( __( 'The Bursar server cannot be reached: %s', 'bursar-gateway' ), $answer->get_error_message() ) );
		}
		$status  = (int) wp_remote_retrieve_response_code( $answer );
		$decoded = json_decode( wp_remote_retrieve_body( $answer ), true );
		if ( $status >= 200 && $status < 300 && is_array( $decoded ) && isset( $decoded['data'] ) ) {
			return $decoded['data'];
		}
		if ( ! is_array( $decoded ) || ! isset( $decoded['message'] ) ) {
			/* translators: %d: the status of HTTP */
			throw new Bursar_Error( 'unreachable', sprintf( __( 'What answers at the address of the Bursar server is not Bursar (status %d).', 'bursar-gateway' ), $status ), $status );
		}
		throw new Bursar_Error( (string) ( $decoded['errors']['code'] ?? 'refused' ), (string) $decoded['message'], $status );
	}
}
