<?php
/**
 * Plugin Name: A double of WooCommerce
 *
 * What the gateway uses of WooCommerce, with its names and its rules as WooCommerce documents them, and pages that do what its own do:
 * settings, checkout, order received, refund. Orders are rows of one table, so that only the functions lead to them, as with HPOS; and as with its
 * cache of orders, one that a request has read stays as it was then.
 *
 * @package Bursar
 */

namespace Automattic\WooCommerce\Utilities {
	class FeaturesUtil {
		public static $declared = array();
		public static function declare_compatibility( $feature, $file, $compatible = true ) {
			self::$declared[ $feature ] = $compatible;
			return true;
		}
	}
}

namespace Automattic\WooCommerce\Caches {
	/** What this request has read of orders. */
	class OrderCache {
		public static $read = array();
		public function remove( $id ) {
			unset( self::$read[ $id ] );
			return true;
		}
	}
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
	abstract class AbstractPaymentMethodType {
		protected $name     = '';
		protected $settings = array();
		abstract public function initialize();
		public function get_name() {
			return $this->name;
		}
		public function is_active() {
			return true;
		}
		public function get_payment_method_script_handles() {
			return array();
		}
		public function get_payment_method_data() {
			return array();
		}
	}
}

namespace {
	defined( 'ABSPATH' ) || exit;

	abstract class WC_Settings_API {
		public $id          = '';
		public $settings    = array();
		public $form_fields = array();
		public $errors      = array();

		public function get_option_key() {
			return 'woocommerce_' . $this->id . '_settings';
		}
		public function init_settings() {
			$defaults       = array_map( static fn( $field ) => $field['default'] ?? '', $this->form_fields );
			$this->settings = array_merge( $defaults, (array) get_option( $this->get_option_key(), array() ) );
		}
		public function get_option( $key, $empty = null ) {
			if ( empty( $this->settings ) ) {
				$this->init_settings();
			}
			return $this->settings[ $key ] ?? $empty ?? '';
		}
		public function get_field_key( $key ) {
			return 'woocommerce_' . $this->id . '_' . $key;
		}
		public function process_admin_options() {
			$this->init_settings();
			$posted = wp_unslash( $_POST );
			foreach ( $this->form_fields as $key => $field ) {
				$value = $posted[ $this->get_field_key( $key ) ] ?? null;
				try {
					if ( is_callable( array( $this, 'validate_' . $key . '_field' ) ) ) {
						$value = $this->{'validate_' . $key . '_field'}( $key, $value );
					} else {
						$value = 'checkbox' === $field['type'] ? ( null === $value ? 'no' : 'yes' ) : sanitize_textarea_field( (string) $value );
					}
					$this->settings[ $key ] = $value;
				} catch ( Exception $error ) {
					$this->errors[] = $error->getMessage();
				}
			}
			return update_option( $this->get_option_key(), $this->settings, 'yes' );
		}
		public function admin_options() {
			echo '<h2>' . esc_html( $this->method_title ) . '</h2><p>' . esc_html( $this->method_description ) . '</p>';
			foreach ( $this->form_fields as $key => $field ) {
				$checked = 'checkbox' === $field['type'] ? checked( $this->get_option( $key ), 'yes', false ) : '';
				printf(
					'<p><label>%s <input type="%s" name="%s" value="%s" %s></label> %s</p>',
					esc_html( $field['title'] ),
					esc_attr( $field['type'] ),
					esc_attr( $this->get_field_key( $key ) ),
					esc_attr( 'checkbox' === $field['type'] ? '1' : $this->get_option( $key ) ),
					$checked,
					esc_html( $field['description'] ?? '' )
				);
			}
		}
	}

	abstract class WC_Payment_Gateway extends WC_Settings_API {
		public $enabled  = 'yes';
		public $title    = '';
		public $description;
		public $method_title       = '';
		public $method_description = '';
		public $has_fields;
		public $supports = array( 'products' );

		public function init_settings() {
			parent::init_settings();
			$this->enabled = 'yes' === ( $this->settings['enabled'] ?? '' ) ? 'yes' : 'no';
		}
		public function get_title() {
			return $this->title;
		}
		public function get_description() {
			return $this->description;
		}
		public function supports( $feature ) {
			return in_array( $feature, $this->supports, true );
		}
		public function is_available() {
			return 'yes' === $this->enabled;
		}
		public function can_refund_order( $order ) {
			return $order && $this->supports( 'refunds' );
		}
		public function get_return_url( $order = null ) {
			return $order->get_checkout_order_received_url();
		}
	}

	class WC_Order {
		private $id;
		private $data;
		private $changed_from = null;
		private $note         = '';

		public function __construct( $id ) {
			global $wpdb;
			$this->id   = (int) $id;
			$this->data = \Automattic\WooCommerce\Caches\OrderCache::$read[ $this->id ] ??= json_decode( (string) $wpdb->get_var( $wpdb->prepare( "select data from {$wpdb->prefix}double_orders where id = %d", $id ) ), true );
		}
		public function exists() {
			return is_array( $this->data );
		}
		public static function create( $data ) {
			global $wpdb;
			$wpdb->insert( "{$wpdb->prefix}double_orders", array( 'order_key' => $data['order_key'], 'data' => '{}' ) );
			$id   = (int) $wpdb->insert_id;
			$wpdb->update( "{$wpdb->prefix}double_orders", array( 'data' => wp_json_encode( $data + array( 'status' => 'pending', 'transaction_id' => '', 'meta' => array() ) ) ), array( 'id' => $id ) );
			return new self( $id );
		}
		public function save() {
			global $wpdb;
			$wpdb->update( "{$wpdb->prefix}double_orders", array( 'data' => wp_json_encode( $this->data ) ), array( 'id' => $this->id ) );
			\Automattic\WooCommerce\Caches\OrderCache::$read[ $this->id ] = $this->data;
			if ( null !== $this->changed_from ) {
				$from               = $this->changed_from;
				$this->changed_from = null;
				do_action( 'woocommerce_order_status_' . $this->data['status'], $this->id, $this );
				$this->add_order_note( trim( "$this->note Order status changed from $from to {$this->data['status']}." ) );
			}
			return $this->id;
		}
		private function set_status( $status, $note = '' ) {
			if ( $status !== $this->data['status'] ) {
				$this->changed_from   = $this->data['status'];
				$this->note           = $note;
				$this->data['status'] = $status;
			}
		}
		public function update_status( $status, $note = '' ) {
			$this->set_status( $status, $note );
			$this->save();
			return true;
		}
		public function payment_complete( $transaction_id = '' ) {
			if ( $this->has_status( array( 'on-hold', 'pending', 'failed', 'cancelled' ) ) ) {
				$this->data['transaction_id'] = $transaction_id;
				$this->data['completions']    = ( $this->data['completions'] ?? 0 ) + 1;
				// WooCommerce reduces the stock and mails here, which takes its time.
				usleep( 300000 );
				$this->set_status( 'processing' );
				$this->save();
			}
			return true;
		}
		public function add_order_note( $note ) {
			global $wpdb;
			$wpdb->insert( "{$wpdb->prefix}double_notes", array( 'order_id' => $this->id, 'note' => $note ) );
			return $wpdb->insert_id;
		}
		public function has_status( $status ) {
			return in_array( $this->data['status'], (array) $status, true );
		}
		public function is_paid() {
			return $this->has_status( array( 'processing', 'completed' ) );
		}
		public function get_meta( $key ) {
			return $this->data['meta'][ $key ] ?? '';
		}
		public function read_meta_data( $force_read = false ) {
			// Its row has been read: meta is no table of its own here.
		}
		public function update_meta_data( $key, $value ) {
			$this->data['meta'][ $key ] = $value;
		}
		public function set_transaction_id( $id ) {
			$this->data['transaction_id'] = $id;
		}
		public function set_total( $total ) {
			$this->data['total'] = $total;
		}
		public function get_id() {
			return $this->id;
		}
		public function get_order_number() {
			return (string) $this->id;
		}
		public function get_checkout_order_received_url() {
			return add_query_arg( array( 'order-received' => $this->id, 'key' => $this->data['order_key'] ), home_url( '/' ) );
		}
		public function get_checkout_payment_url() {
			return add_query_arg( array( 'order-pay' => $this->id, 'pay_for_order' => 'true', 'key' => $this->data['order_key'] ), home_url( '/' ) );
		}
		/** `get_total`, `get_currency`, `get_status`, `get_order_key`, `get_billing_email`, `get_payment_method`, `get_transaction_id`. */
		public function __call( $name, $arguments ) {
			$key = substr( $name, 4 );
			if ( ! array_key_exists( $key, $this->data ) ) {
				throw new BadMethodCallException( "WC_Order::$name" );
			}
			return $this->data[ $key ];
		}
		public function all() {
			global $wpdb;
			return $this->data + array( 'notes' => $wpdb->get_col( $wpdb->prepare( "select note from {$wpdb->prefix}double_notes where order_id = %d order by id", $this->id ) ) );
		}
	}

	class WC_Data_Store {
		public static function load( $type ) {
			return new self();
		}
		public function has_callable( $method ) {
			return false;
		}
	}

	function wc_get_container() {
		return new class() {
			public function get( $class ) {
				return new $class();
			}
		};
	}
	function wc_get_order( $id ) {
		$order = new WC_Order( $id );
		return $order->exists() ? $order : false;
	}
	function wc_get_order_id_by_order_key( $key ) {
		global $wpdb;
		return (int) $wpdb->get_var( $wpdb->prepare( "select id from {$wpdb->prefix}double_orders where order_key = %s", $key ) );
	}
	function get_woocommerce_currency() {
		return get_option( 'woocommerce_currency', 'NGN' );
	}
	function is_order_received_page() {
		return (bool) get_query_var( 'order-received' );
	}
	function wc_add_notice( $message, $type = 'success' ) {
		$GLOBALS['double_notices'][] = "$type: $message";
	}
	function wc_get_logger() {
		return new class() {
			public function __call( $level, $arguments ) {
				file_put_contents( 'php://stderr', "$level: {$arguments[0]}\n" );
			}
		};
	}

	/** The gateways, as WooCommerce makes them. */
	function double_gateway( $id ) {
		foreach ( apply_filters( 'woocommerce_payment_gateways', array() ) as $class ) {
			$gateway = new $class();
			if ( $gateway->id === $id ) {
				return $gateway;
			}
		}
		wp_die( 'There is no such payment method.' );
	}

	/** A refund, as the order's page makes it: it stands only if the gateway has done its part. */
	function wc_create_refund( $order, $amount, $reason ) {
		$gateway = double_gateway( $order->get_payment_method() );
		$result  = $gateway->can_refund_order( $order ) ? $gateway->process_refund( $order->get_id(), $amount, $reason ) : false;
		return is_wp_error( $result ) ? $result->get_error_message() : ( $result ? 'refunded' : 'An error occurred while attempting to create the refund using the payment gateway API.' );
	}

	register_activation_hook(
		__FILE__,
		static function () {
			global $wpdb;
			$wpdb->query( "create table {$wpdb->prefix}double_orders (id bigint auto_increment primary key, order_key varchar(64) unique, data longtext)" );
			$wpdb->query( "create table {$wpdb->prefix}double_notes (id bigint auto_increment primary key, order_id bigint, note longtext)" );
		}
	);

	add_action(
		'plugins_loaded',
		static function () {
			do_action( 'before_woocommerce_init' );
			do_action( 'woocommerce_blocks_loaded' );
		}
	);
	add_filter( 'query_vars', static fn( $vars ) => array_merge( $vars, array( 'order-received', 'order-pay' ) ) );
	// The home page shows an order that is asked for, rather than a page of WordPress.
	add_action(
		'bare_content',
		static function () {
			$order = wc_get_order( (int) get_query_var( 'order-received' ) );
			if ( $order && hash_equals( $order->get_order_key(), (string) ( $_GET['key'] ?? '' ) ) ) {
				echo '<p>Order ' . esc_html( $order->get_status() ) . '</p>';
				do_action( 'woocommerce_thankyou_' . $order->get_payment_method(), $order->get_id() );
			}
		}
	);

	add_action(
		'admin_menu',
		static function () {
			add_menu_page( 'WooCommerce', 'WooCommerce', 'manage_options', 'wc-settings', static function () {
				$gateway = double_gateway( sanitize_key( $_GET['section'] ?? '' ) );
				if ( 'POST' === $_SERVER['REQUEST_METHOD'] ) {
					check_admin_referer( 'woocommerce-settings' );
					do_action( 'woocommerce_update_options_payment_gateways_' . $gateway->id );
					$gateway = double_gateway( $gateway->id );
				}
				echo '<form method="post">';
				wp_nonce_field( 'woocommerce-settings' );
				$gateway->admin_options();
				echo '<button>Save changes</button></form>';
			} );
		}
	);

	add_action( 'rest_api_init', static function () {
		$routes = array(
			/** The checkout: makes an order and lets the gateway start its payment; or pays one again. */
			'checkout' => static function ( $asked ) {
				$gateway = double_gateway( 'bursar' );
				if ( ! $gateway->is_available() ) {
					return array( 'result' => 'unavailable' );
				}
				$order = $asked['order'] ? wc_get_order( $asked['order'] ) : WC_Order::create( array(
					'order_key'      => 'wc_order_' . wp_generate_password( 13, false ),
					'total'          => $asked['total'],
					'currency'       => get_woocommerce_currency(),
					'billing_email'  => 'ada@example.com',
					'payment_method' => 'bursar',
				) );
				return $gateway->process_payment( $order->get_id() ) + array( 'order' => $order->get_id(), 'notices' => $GLOBALS['double_notices'] ?? array() );
			},
			'order'    => static function ( $asked ) {
				$order = wc_get_order( $asked['order'] );
				if ( $asked['total'] ) {
					$order->set_total( $asked['total'] );
					$order->save();
				}
				if ( $asked['status'] ) {
					$order->update_status( $asked['status'] );
				}
				return $order->all();
			},
			'refund'   => static fn( $asked ) => wc_create_refund( wc_get_order( $asked['order'] ), $asked['amount'], $asked['reason'] ?? '' ),
			/** What the blocks checkout is given, and what the plugin declares. */
			'blocks'   => static function () {
				$registry = new class() {
					public $all = array();
					public function register( $method ) {
						$method->initialize();
						$this->all[ $method->get_name() ] = array(
							'active'  => $method->is_active(),
							'data'    => $method->get_payment_method_data(),
							'scripts' => array_map( static fn( $handle ) => wp_scripts()->registered[ $handle ]->src, $method->get_payment_method_script_handles() ),
						);
					}
				};
				do_action( 'woocommerce_blocks_payment_method_type_registration', $registry );
				return array( 'methods' => $registry->all, 'declared' => Automattic\WooCommerce\Utilities\FeaturesUtil::$declared );
			},
		);
		foreach ( $routes as $path => $callback ) {
			register_rest_route( 'double', $path, array( 'methods' => 'POST', 'permission_callback' => '__return_true', 'callback' => $callback ) );
		}
	} );
}
