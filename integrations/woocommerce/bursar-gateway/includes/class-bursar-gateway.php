<?php
/**
 * The payment method: settings, the way to the hosted checkout, refunds.
 *
 * @package Bursar
 */

defined( 'ABSPATH' ) || exit;

/** The payment method `bursar`. */
class Bursar_Gateway extends WC_Payment_Gateway {

	/** Reads the settings. */
	public function __construct() {
		$this->id                 = 'bursar';
		$this->method_title       = __( 'Bursar', 'bursar-gateway' );
		$this->method_description = __( 'Your customers pay on the hosted checkout of your Bursar server: by card, bank transfer or stablecoin.', 'bursar-gateway' );
		$this->has_fields         = false;
		$this->supports           = array( 'products', 'refunds' );
		$this->init_form_fields();
		$this->init_settings();
		$this->title       = $this->get_option( 'title' );
		$this->description = $this->get_option( 'description' );
		if ( ! $this->api()->is_live() ) {
			/* translators: shown to customers while no real money moves */
			$this->description = trim( $this->description . ' ' . __( 'Test mode: no real money moves.', 'bursar-gateway' ) );
		}
		add_action( 'woocommerce_update_options_payment_gateways_' . $this->id, array( $this, 'process_admin_options' ) );
	}

	/** The server of these settings. */
	private function api() {
		return new Bursar_API( $this->get_option( 'url' ), $this->get_option( 'api_key' ) );
	}

	/** The fields of the settings page. */
	public function init_form_fields() {
		$this->form_fields = array(
			'enabled'        => array(
				'title'   => __( 'Enable', 'bursar-gateway' ),
				'type'    => 'checkbox',
				'label'   => __( 'Take payments with Bursar', 'bursar-gateway' ),
				'default' => 'no',
			),
			'title'          => array(
				'title'       => __( 'Title', 'bursar-gateway' ),
				'type'        => 'text',
				'description' => __( 'What customers choose at the checkout.', 'bursar-gateway' ),
				'default'     => __( 'Card, bank transfer or stablecoin', 'bursar-gateway' ),
			),
			'description'    => array(
				'title'   => __( 'Description', 'bursar-gateway' ),
				'type'    => 'textarea',
				'default' => __( 'You pay on a secure page and come back here.', 'bursar-gateway' ),
			),
			'url'            => array(
				'title'       => __( 'Server', 'bursar-gateway' ),
				'type'        => 'text',
				'description' => __( 'The address of your Bursar server, such as https://pay.example.com.', 'bursar-gateway' ),
				'default'     => '',
			),
			'api_key'        => array(
				'title'       => __( 'Secret key', 'bursar-gateway' ),
				'type'        => 'password',
				'description' => __( 'sk_test_… moves no real money; sk_live_… does. It needs the scopes read, collect and refund.', 'bursar-gateway' ),
				'default'     => '',
			),
			'webhook_secret' => array(
				'title'       => __( 'Webhook secret', 'bursar-gateway' ),
				'type'        => 'password',
				'description' => __( 'weh_… or whsec_…, which Bursar shows once when you register the webhook below.', 'bursar-gateway' ),
				'default'     => '',
			),
		);
	}

	/**
	 * Checks the address on saving.
	 *
	 * @param string $key   The field.
	 * @param string $value What was typed.
	 * @return string
	 * @throws Exception When it is no address; the page shows it.
	 */
	public function validate_url_field( $key, $value ) {
		$url = untrailingslashit( trim( (string) $value ) );
		if ( '' !== $url && ! Bursar_API::is_safe_url( $url ) ) {
			throw new Exception( esc_html__( 'The address of the server begins with https://. Only a server on this machine (localhost) may have http://.', 'bursar-gateway' ) );
		}
		return esc_url_raw( $url );
	}

	/**
	 * Checks the key on saving.
	 *
	 * @param string $key   The field.
	 * @param string $value What was typed.
	 * @return string
	 * @throws Exception When it is no secret key; the page shows it.
	 */
	public function validate_api_key_field( $key, $value ) {
		$typed = trim( (string) $value );
		if ( '' !== $typed && ! preg_match( '/^sk_(test|live)_\S+$/', $typed ) ) {
			throw new Exception( esc_html__( 'The secret key begins with sk_test_ or sk_live_.', 'bursar-gateway' ) );
		}
		return $typed;
	}

	/**
	 * Checks the webhook secret on saving.
	 *
	 * @param string $key   The field.
	 * @param string $value What was typed.
	 * @return string
	 * @throws Exception When it is none; the page shows it.
	 */
	public function validate_webhook_secret_field( $key, $value ) {
		$typed = trim( (string) $value );
		if ( '' !== $typed && ! preg_match( '/^(weh_|whsec_)\S+$/', $typed ) ) {
			throw new Exception( esc_html__( 'The webhook secret begins with weh_ or whsec_.', 'bursar-gateway' ) );
		}
		return $typed;
	}

	/** The settings page: what mode this is, whether the server answers, and what to register there. */
	public function admin_options() {
		$api = $this->api();
		if ( ! $api->is_set_up() ) {
			$state = __( 'Not set up yet: type the address of your server and a secret key, and save.', 'bursar-gateway' );
		} else {
			$state = $api->is_live() ? __( 'Live mode: real money moves.', 'bursar-gateway' ) : __( 'Test mode: no real money moves.', 'bursar-gateway' );
			try {
				$business = $api->get( '/business', 5 );
				/* translators: %s: the name of a business */
				$state .= ' ' . sprintf( __( 'Connected to %s.', 'bursar-gateway' ), $business['name'] ?? 'Bursar' );
			} catch ( Bursar_Error $error ) {
				$state .= ' ' . $error->getMessage();
			}
			if ( '' === $this->get_option( 'webhook_secret' ) ) {
				$state .= ' ' . __( 'The webhook secret is missing: orders are completed only when the customer comes back.', 'bursar-gateway' );
			}
		}
		echo '<div class="notice notice-info inline"><p><strong>' . esc_html( $state ) . '</strong></p><p>';
		esc_html_e( 'Register this webhook in Bursar:', 'bursar-gateway' );
		echo ' <code>' . esc_html( Bursar_Webhook::url() ) . '</code> ';
		esc_html_e( 'for the events', 'bursar-gateway' );
		echo ' <code>' . esc_html( implode( ', ', Bursar_Webhook::EVENTS ) ) . '</code>.</p></div>';
		parent::admin_options();
	}

	/** Whether customers can choose it: the wallets of Bursar have two currencies. */
	public function is_available() {
		return parent::is_available() && $this->api()->is_set_up() && PHP_INT_SIZE >= 8
			&& in_array( get_woocommerce_currency(), Bursar_Money::CURRENCIES, true );
	}

	/**
	 * Opens a payment and sends the customer to it.
	 *
	 * @param int $order_id The order.
	 * @return array
	 */
	public function process_payment( $order_id ) {
		try {
			$order = wc_get_order( $order_id );
			return array(
				'result'   => 'success',
				'redirect' => Bursar_Orders::checkout_url( $this->api(), $order, $this->get_return_url( $order ) ),
			);
		} catch ( Bursar_Error $error ) {
			wc_get_logger()->error( 'order ' . $order_id . ': ' . $error->refusal . ': ' . $error->getMessage(), array( 'source' => 'bursar' ) );
			wc_add_notice( __( 'The payment cannot be started now. Please try again in a moment, or choose another way to pay.', 'bursar-gateway' ), 'error' );
			return array( 'result' => 'failure' );
		}
	}

	/**
	 * Whether the order's money can be given back from here.
	 *
	 * @param WC_Order $order The order.
	 * @return bool
	 */
	public function can_refund_order( $order ) {
		return $order && '' !== (string) $order->get_transaction_id() && parent::can_refund_order( $order );
	}

	/**
	 * Gives money back.
	 *
	 * @param int         $order_id The order.
	 * @param string|null $amount   How much.
	 * @param string      $reason   Why.
	 * @return bool|WP_Error
	 */
	public function process_refund( $order_id, $amount = null, $reason = '' ) {
		try {
			return Bursar_Orders::refund( $this->api(), $order_id, $amount, (string) $reason );
		} catch ( Bursar_Error $error ) {
			wc_get_logger()->error( 'refund of order ' . $order_id . ': ' . $error->refusal . ': ' . $error->getMessage(), array( 'source' => 'bursar' ) );
			return new WP_Error( 'bursar_' . $error->refusal, $error->getMessage() );
		}
	}
}
