<?php
/**
 * The payment method in the blocks checkout.
 *
 * @package Bursar
 */

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

defined( 'ABSPATH' ) || exit;

/** What the blocks checkout asks of it. */
final class Bursar_Blocks extends AbstractPaymentMethodType {

	/**
	 * The payment method.
	 *
	 * @var string
	 */
	protected $name = 'bursar';

	/** Reads the settings. */
	public function initialize() {
		require_once __DIR__ . '/class-bursar-gateway.php';
		$this->settings = get_option( 'woocommerce_bursar_settings', array() );
	}

	/** Whether customers can choose it. */
	public function is_active() {
		return ( new Bursar_Gateway() )->is_available();
	}

	/** The script, which needs no build. */
	public function get_payment_method_script_handles() {
		wp_register_script(
			'bursar-blocks',
			plugins_url( 'assets/blocks.js', BURSAR_GATEWAY_FILE ),
			array( 'wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities' ),
			BURSAR_GATEWAY_VERSION,
			true
		);
		return array( 'bursar-blocks' );
	}

	/** What the script shows. */
	public function get_payment_method_data() {
		$gateway = new Bursar_Gateway();
		return array(
			'title'       => $gateway->get_title(),
			'description' => $gateway->get_description(),
			'supports'    => $gateway->supports,
		);
	}
}
