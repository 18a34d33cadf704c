<?php
/**
 * Plugin Name: Bursar for WooCommerce
 * Description: Takes payments through the hosted checkout of your own Bursar server: cards, bank transfers and stablecoins.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * Requires Plugins: woocommerce
 * WC requires at least: 7.0
 * License: Apache-2.0
 * Text Domain: bursar-gateway
 * Domain Path: /languages
 *
 * @package Bursar
 */

defined( 'ABSPATH' ) || exit;

define( 'BURSAR_GATEWAY_VERSION', '0.1.0' );
define( 'BURSAR_GATEWAY_FILE', __FILE__ );

require_once __DIR__ . '/includes/class-bursar-money.php';
require_once __DIR__ . '/includes/class-bursar-api.php';
require_once __DIR__ . '/includes/class-bursar-orders.php';
require_once __DIR__ . '/includes/class-bursar-webhook.php';

// Orders are read and written by WooCommerce's own functions alone, so that they may be kept in its own tables (HPOS).
add_action(
	'before_woocommerce_init',
	static function () {
		if ( class_exists( '\Automattic\WooCommerce\Utilities\FeaturesUtil' ) ) {
			\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( 'custom_order_tables', __FILE__, true );
			\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( 'cart_checkout_blocks', __FILE__, true );
		}
	}
);

add_action(
	'init',
	static function () {
		load_plugin_textdomain( 'bursar-gateway', false, dirname( plugin_basename( __FILE__ ) ) . '/languages' );
	}
);

add_filter(
	'woocommerce_payment_gateways',
	static function ( $gateways ) {
		require_once __DIR__ . '/includes/class-bursar-gateway.php';
		$gateways[] = 'Bursar_Gateway';
		return $gateways;
	}
);

add_action(
	'woocommerce_blocks_loaded',
	static function () {
		if ( ! class_exists( '\Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType' ) ) {
			return;
		}
		add_action(
			'woocommerce_blocks_payment_method_type_registration',
			static function ( $registry ) {
				require_once __DIR__ . '/includes/class-bursar-blocks.php';
				$registry->register( new Bursar_Blocks() );
			}
		);
	}
);

add_action( 'rest_api_init', array( 'Bursar_Webhook', 'register' ) );
add_action( 'template_redirect', array( 'Bursar_Orders', 'look_on_return' ) );
add_action( 'woocommerce_thankyou_bursar', array( 'Bursar_Orders', 'tell_on_return' ) );
add_action( 'woocommerce_order_status_cancelled', array( 'Bursar_Orders', 'cancel_payment' ) );

add_filter(
	'plugin_action_links_' . plugin_basename( __FILE__ ),
	static function ( $links ) {
		$url = admin_url( 'admin.php?page=wc-settings&tab=checkout&section=bursar' );
		array_unshift( $links, '<a href="' . esc_url( $url ) . '">' . esc_html__( 'Settings', 'bursar-gateway' ) . '</a>' );
		return $links;
	}
);
