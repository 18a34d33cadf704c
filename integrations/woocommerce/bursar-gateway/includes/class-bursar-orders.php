<?php
/**
 * What payments and refunds do to orders. Each state of a record is applied once, whoever brings it: a delivery, its repeat, or the
 * customer who comes back.
 *
 * @package Bursar
 */

defined( 'ABSPATH' ) || exit;

/** Orders that are paid with Bursar. */
final class Bursar_Orders {

	/**
	 * The hosted page of an order's payment. An open payment of the same amount is used again; otherwise the next attempt opens one.
	 *
	 * @param Bursar_API $api        The server.
	 * @param WC_Order   $order      The order.
	 * @param string     $return_url Where the customer comes back to.
	 * @return string
	 * @throws Bursar_Error When no payment can be opened.
	 */
	public static function checkout_url( $api, $order, $return_url ) {
		$amount   = Bursar_Money::minor( $order->get_total() );
		$currency = strtolower( $order->get_currency() );
		if ( null === $amount || ! in_array( strtoupper( $currency ), Bursar_Money::CURRENCIES, true ) ) {
			throw new Bursar_Error( 'unpayable', 'The order has no amount that Bursar can take: ' . $order->get_total() . ' ' . $order->get_currency() . '.' );
		}
		$known = self::current_payment( $api, $order );
		if ( $known && 'pending' === $known['status'] ) {
			if ( $known['amount'] === $amount && $known['currency'] === $currency ) {
				return $known['checkout_url'];
			}
			self::cancel( $api, $order, $known['id'] );
		} elseif ( $known && 'completed' === $known['status'] ) {
			self::apply( $order->get_id(), 'payment.completed', $known );
			return $return_url;
		}
		// Two requests at once make the same attempt, with the same key: one payment.
		$attempt = max( 1, (int) $order->get_meta( '_bursar_attempt' ) ) + ( $known ? 1 : 0 );
		for ( $last = $attempt + 3; ; $attempt++ ) {
			$reference = $order->get_order_key() . ( $attempt > 1 ? '-' . $attempt : '' );
			$body      = array(
				'reference'    => $reference,
				'amount'       => $amount,
				'currency'     => $currency,
				/* translators: 1: the number of an order, 2: the name of the shop */
				'description'  => sprintf( __( 'Order %1$s at %2$s', 'bursar-gateway' ), $order->get_order_number(), wp_specialchars_decode( get_bloginfo( 'name' ), ENT_QUOTES ) ),
				'redirect_url' => $return_url,
				'cancel_url'   => $order->get_checkout_payment_url(),
				'metadata'     => array(
					'order_id'  => (string) $order->get_id(),
					'order_key' => $order->get_order_key(),
				),
			);
			if ( is_email( $order->get_billing_email() ) ) {
				$body['email'] = $order->get_billing_email();
			}
			try {
				$payment = $api->post( '/payments', $body, 'woocommerce-' . $order->get_id() . '-' . $attempt . '-' . $order->get_order_key() );
				break;
			} catch ( Bursar_Error $error ) {
				if ( ! $error->is_certain() ) {
					throw $error;
				}
				// A refusal is answered again under the same key, also when its reason is gone: the next attempt has another.
				$order->update_meta_data( '_bursar_attempt', $attempt + 1 );
				$order->save();
				// An attempt of which the answer was lost, and the order has another amount since, or a day has passed.
				if ( $attempt >= $last || ! in_array( $error->refusal, array( 'idempotency_key_reused', 'duplicate_reference' ), true ) ) {
					throw $error;
				}
			}
		}
		$order->update_meta_data( '_bursar_attempt', $attempt );
		$order->update_meta_data( '_bursar_payment_id', $payment['id'] );
		$order->save();
		return $payment['checkout_url'];
	}

	/**
	 * The payment that was opened last for an order.
	 *
	 * @param Bursar_API $api   The server.
	 * @param WC_Order   $order The order.
	 * @return array|null Null where there is none, or the key of now does not know it.
	 * @throws Bursar_Error When the server cannot be asked.
	 */
	private static function current_payment( $api, $order ) {
		$id = (string) $order->get_meta( '_bursar_payment_id' );
		if ( '' === $id ) {
			return null;
		}
		try {
			return $api->get( '/payments/' . rawurlencode( $id ) );
		} catch ( Bursar_Error $error ) {
			if ( 'not_found' === $error->refusal ) {
				return null;
			}
			throw $error;
		}
	}

	/**
	 * Gives money of an order back.
	 *
	 * @param Bursar_API  $api      The server.
	 * @param int         $order_id The order.
	 * @param string|null $amount   How much, in the order's currency.
	 * @param string      $reason   Why.
	 * @return bool
	 * @throws Bursar_Error When it is refused, or not answered.
	 */
	public static function refund( $api, $order_id, $amount, $reason ) {
		$order = wc_get_order( $order_id );
		$minor = Bursar_Money::minor( (string) $amount );
		if ( null === $minor ) {
			throw new Bursar_Error( 'amount', __( 'Type an amount of at most two decimals.', 'bursar-gateway' ) );
		}
		// After an answer that was lost the same amount is the same refund: the numbers grow with what was answered. A refusal is
		// answered again under the same key, also when its reason is gone: the next try has another.
		$refunds = array_filter( (array) $order->get_meta( '_bursar_refunds' ) );
		$number  = count( $refunds ) + 1;
		$try     = (int) $order->get_meta( '_bursar_refund_try' ) + 1;
		$body    = array(
			'payment'   => (string) $order->get_transaction_id(),
			'amount'    => $minor,
			'reference' => $order->get_order_key() . '-refund-' . $number,
			'metadata'  => array(
				'order_id'  => (string) $order_id,
				'order_key' => $order->get_order_key(),
			),
		);
		if ( '' !== $reason ) {
			$body['reason'] = function_exists( 'mb_substr' ) ? mb_substr( $reason, 0, 500 ) : substr( $reason, 0, 500 );
		}
		try {
			$refund = $api->post( '/refunds', $body, 'woocommerce-refund-' . $order_id . '-' . $try . '-' . $order->get_order_key() );
		} catch ( Bursar_Error $error ) {
			if ( $error->is_certain() ) {
				$order->update_meta_data( '_bursar_refund_try', $try );
				$order->save();
			}
			if ( ! in_array( $error->refusal, array( 'idempotency_key_reused', 'duplicate_reference' ), true ) ) {
				throw $error;
			}
			// It was made, with another amount or reason, and its answer was lost. The next try is another refund.
			$refunds[] = $body['reference'];
			$order->update_meta_data( '_bursar_refunds', array_values( $refunds ) );
			$order->save();
			throw new Bursar_Error( $error->refusal, __( 'A refund of this order was made before, and its answer was lost. Look at the payment in Bursar before you refund again.', 'bursar-gateway' ) );
		}
		self::locked(
			$order_id,
			static function ( $order ) use ( $refund, $refunds, $try, $minor ) {
				$refunds[] = $refund['id'];
				$order->update_meta_data( '_bursar_refunds', array_values( $refunds ) );
				$order->update_meta_data( '_bursar_refund_try', $try );
				$order->save();
				/* translators: 1: an amount with its currency, 2: the id of a refund */
				$order->add_order_note( sprintf( __( 'Bursar sends %1$s back (refund %2$s).', 'bursar-gateway' ), Bursar_Money::text( $minor, $order->get_currency() ), $refund['id'] ) );
			}
		);
		return true;
	}

	/**
	 * Cancels the payment of an order that was cancelled, so that nobody pays for it any more.
	 *
	 * @param int $order_id The order.
	 */
	public static function cancel_payment( $order_id ) {
		$order = wc_get_order( $order_id );
		if ( $order && 'bursar' === $order->get_payment_method() && '' !== (string) $order->get_meta( '_bursar_payment_id' ) && ! $order->get_transaction_id() ) {
			self::cancel( Bursar_API::of_settings(), $order, (string) $order->get_meta( '_bursar_payment_id' ) );
		}
	}

	/**
	 * Cancels a payment, or says on the order why not.
	 *
	 * @param Bursar_API $api   The server.
	 * @param WC_Order   $order The order.
	 * @param string     $id    The payment.
	 */
	private static function cancel( $api, $order, $id ) {
		try {
			// A key of its own each time: a refusal is answered again under the same key, also when its reason is gone.
			$api->post( '/payments/' . rawurlencode( $id ) . '/cancel', array(), 'woocommerce-cancel-' . $id . '-' . wp_generate_uuid4() );
		} catch ( Bursar_Error $error ) {
			/* translators: 1: the id of a payment, 2: why, in English */
			$order->add_order_note( sprintf( __( 'Payment %1$s of Bursar was not cancelled, and may still be paid: %2$s', 'bursar-gateway' ), $id, $error->getMessage() ) );
		}
	}

	/** An order's page asks the server once in so many seconds, so that reloads do not use up the rate limit of the shop's key. */
	const ASK_EVERY = 10;

	/** When the customer comes back: asks how the payment stands, since the webhook may come later. */
	public static function look_on_return() {
		if ( ! function_exists( 'is_order_received_page' ) || ! is_order_received_page() ) {
			return;
		}
		$order = wc_get_order( absint( get_query_var( 'order-received' ) ) );
		$key   = isset( $_GET['key'] ) ? sanitize_text_field( wp_unslash( $_GET['key'] ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification
		if ( ! $order || ! hash_equals( $order->get_order_key(), $key ) || 'bursar' !== $order->get_payment_method() || $order->is_paid() ) {
			return;
		}
		$asked = 'bursar_asked_' . $order->get_id();
		if ( get_transient( $asked ) ) {
			return;
		}
		set_transient( $asked, 1, self::ASK_EVERY );
		try {
			$payment = self::current_payment( Bursar_API::of_settings(), $order );
			if ( $payment ) {
				self::apply( $order->get_id(), 'payment.' . $payment['status'], $payment );
			}
		} catch ( Bursar_Error $error ) {
			wc_get_logger()->warning( 'order ' . $order->get_id() . ' on return: ' . $error->getMessage(), array( 'source' => 'bursar' ) );
		}
	}

	/**
	 * What the customer reads who comes back before the money is there.
	 *
	 * @param int $order_id The order.
	 */
	public static function tell_on_return( $order_id ) {
		$order = wc_get_order( $order_id );
		if ( $order && ! $order->is_paid() && $order->has_status( array( 'pending', 'on-hold' ) ) ) {
			echo '<p class="woocommerce-info">' . esc_html__( 'Your payment is not confirmed yet. You get an email as soon as it is.', 'bursar-gateway' ) . '</p>';
		}
	}

	/**
	 * Applies what a webhook says. What is of no order of this shop is left alone: several may share a business.
	 *
	 * @param string $type    The event's type.
	 * @param array  $payload The record.
	 * @throws Bursar_Error When it is to come again.
	 */
	public static function apply_event( $type, $payload ) {
		if ( ! empty( $payload['test'] ) ) {
			return; // A sample of `POST /webhooks/{id}/test`.
		}
		$deposit = in_array( $type, array( 'virtual_account.deposit', 'crypto.deposit' ), true );
		if ( $deposit && ( empty( $payload['late'] ) || empty( $payload['related']['payment'] ) ) ) {
			return; // Money on time makes its payment complete, which says so itself.
		}
		$metadata   = $payload['metadata'] ?? array();
		$payment_id = $deposit ? $payload['related']['payment'] : ( $payload['payment'] ?? null );
		if ( empty( $metadata['order_id'] ) && $payment_id ) {
			// A deposit, or a refund that was made in Bursar: the payment knows the order.
			try {
				$metadata = Bursar_API::of_settings()->get( '/payments/' . rawurlencode( $payment_id ) )['metadata'];
			} catch ( Bursar_Error $error ) {
				// A 404 that is not Bursar's, of a proxy, says nothing of the payment: it comes again.
				if ( 'not_found' === $error->refusal ) {
					return;
				}
				throw $error;
			}
		}
		$order_id  = absint( $metadata['order_id'] ?? 0 );
		$order_key = (string) ( $metadata['order_key'] ?? '' );
		if ( $order_id > 0 && '' !== $order_key && (int) wc_get_order_id_by_order_key( $order_key ) === $order_id ) {
			self::apply( $order_id, $type, $payload );
		}
	}

	/**
	 * Applies a state of a record to its order, once, whoever else is at it.
	 *
	 * @param int    $order_id The order.
	 * @param string $type     The event's type, or what it would be.
	 * @param array  $record   The payment, refund or transaction.
	 * @throws Bursar_Error When the order is busy for too long.
	 */
	private static function apply( $order_id, $type, $record ) {
		self::locked(
			$order_id,
			static function ( $order ) use ( $type, $record ) {
				$state = $type . ':' . $record['id'];
				$seen  = array_filter( (array) $order->get_meta( '_bursar_seen' ) );
				if ( ! in_array( $state, $seen, true ) && self::change( $order, $type, $record ) ) {
					$seen[] = $state;
					$order->update_meta_data( '_bursar_seen', $seen );
					$order->save();
				}
			}
		);
	}

	/**
	 * Changes an order while nobody else here does.
	 *
	 * @param int      $order_id The order.
	 * @param callable $change   Is given the order as it is under the lock.
	 * @throws Bursar_Error When the order is busy for too long.
	 */
	private static function locked( $order_id, $change ) {
		global $wpdb;
		$lock = 'bursar_' . md5( $wpdb->prefix . $order_id );
		if ( '1' !== (string) $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, 5)', $lock ) ) ) {
			/* translators: %d: the id of an order */
			throw new Bursar_Error( 'busy', sprintf( __( 'Order %d is being changed. Try again.', 'bursar-gateway' ), $order_id ) );
		}
		try {
			$change( self::fresh( $order_id ) );
		} finally {
			$wpdb->get_var( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', $lock ) );
		}
	}

	/**
	 * The order as it is in the database: what was read of it earlier in this request is older than the lock, and WordPress and
	 * WooCommerce would give it again.
	 *
	 * @param int $order_id The order.
	 * @return WC_Order
	 */
	private static function fresh( $order_id ) {
		clean_post_cache( $order_id );
		if ( class_exists( '\Automattic\WooCommerce\Caches\OrderCache' ) ) {
			wc_get_container()->get( \Automattic\WooCommerce\Caches\OrderCache::class )->remove( $order_id );
		}
		$store = WC_Data_Store::load( 'order' );
		if ( method_exists( $store, 'has_callable' ) && $store->has_callable( 'clear_cached_data' ) ) {
			$store->clear_cached_data( array( $order_id ) );
		}
		$order = wc_get_order( $order_id );
		$order->read_meta_data( true );
		return $order;
	}

	/**
	 * What a state of a record does to its order.
	 *
	 * @param WC_Order $order  The order.
	 * @param string   $type   The event's type.
	 * @param array    $record The payment, refund or transaction.
	 * @return bool Whether that was an end, which is applied once.
	 */
	private static function change( $order, $type, $record ) {
		switch ( $type ) {
			case 'payment.completed':
				self::complete( $order, $record );
				return true;
			case 'payment.failed':
			case 'payment.expired':
			case 'payment.canceled':
				self::unpaid( $order, $record );
				return true;
			case 'refund.completed':
				// Events come in no fixed order: the payment may say only afterwards that it was completed.
				$order->update_meta_data( '_bursar_refunded', array_merge( array_filter( (array) $order->get_meta( '_bursar_refunded' ) ), array( $record['payment'] ?? '' ) ) );
				/* translators: 1: an amount with its currency, 2: the id of a refund */
				$note = sprintf( __( 'The customer has got %1$s back (refund %2$s).', 'bursar-gateway' ), Bursar_Money::text( $record['amount'], $record['currency'] ), $record['id'] );
				if ( empty( $record['metadata']['order_id'] ) ) {
					$note .= ' ' . __( 'It was made in Bursar: book it on this order as a manual refund.', 'bursar-gateway' );
				}
				$order->add_order_note( $note );
				return true;
			case 'refund.failed':
				/* translators: 1: an amount with its currency, 2: the id of a refund, 3: why, in English */
				self::hold( $order, sprintf( __( 'The refund of %1$s has failed (refund %2$s: %3$s). The money is in your Bursar wallet again: delete the refund on this order, and refund anew.', 'bursar-gateway' ), Bursar_Money::text( $record['amount'], $record['currency'] ), $record['id'], $record['failure_reason'] ?? '?' ) );
				return true;
			case 'virtual_account.deposit':
			case 'crypto.deposit':
				/* translators: 1: an amount with its currency, 2: the id of a payment */
				self::hold( $order, sprintf( __( '%1$s came after payment %2$s had ended. Fulfil the order, or give the money back in Bursar.', 'bursar-gateway' ), Bursar_Money::text( $record['amount'], $record['currency'] ), $record['related']['payment'] ) );
				return true;
			default:
				return false;
		}
	}

	/**
	 * A payment was paid: the order is too, if all fits.
	 *
	 * @param WC_Order $order   The order.
	 * @param array    $payment The payment.
	 */
	private static function complete( $order, $payment ) {
		$due  = Bursar_Money::minor( $order->get_total() );
		$paid = Bursar_Money::text( $payment['amount_received'], $payment['currency'] );
		if ( $order->get_transaction_id() && $order->get_transaction_id() !== $payment['id'] ) {
			/* translators: 1: an amount with its currency, 2: the id of a payment */
			self::hold( $order, sprintf( __( 'The order was paid a second time: %1$s by payment %2$s. Give one of them back in Bursar.', 'bursar-gateway' ), $paid, $payment['id'] ) );
			return;
		}
		$order->set_transaction_id( $payment['id'] );
		if ( (bool) $payment['livemode'] !== Bursar_API::of_settings()->is_live() ) {
			/* translators: %s: the id of a payment */
			self::hold( $order, sprintf( __( 'Payment %s is of the other mode, test or live, than the key in the settings. Look at it in Bursar before you fulfil the order.', 'bursar-gateway' ), $payment['id'] ) );
		} elseif ( $payment['amount'] !== $due || strtoupper( $payment['currency'] ) !== $order->get_currency() ) {
			/* translators: 1: an amount with its currency, 2: the id of a payment, 3: the amount of the order */
			self::hold( $order, sprintf( __( '%1$s came by payment %2$s, but the order is for %3$s. Compare them, then fulfil the order or give the money back.', 'bursar-gateway' ), $paid, $payment['id'], $order->get_currency() . ' ' . $order->get_total() ) );
		} elseif ( $payment['amount_received'] !== $payment['amount'] ) {
			/* translators: 1: an amount with its currency, 2: the id of a payment, 3: the amount of the order */
			self::hold( $order, sprintf( __( '%1$s came by payment %2$s for an order of %3$s. Fulfil the order and give the difference back.', 'bursar-gateway' ), $paid, $payment['id'], $order->get_currency() . ' ' . $order->get_total() ) );
		} elseif ( $payment['amount_refunded'] > 0 || in_array( $payment['id'], (array) $order->get_meta( '_bursar_refunded' ), true ) ) {
			/* translators: 1: an amount with its currency, 2: the id of a payment */
			self::hold( $order, sprintf( __( '%1$s came by payment %2$s, which has been refunded, in part or in full. Compare them in Bursar before you fulfil the order.', 'bursar-gateway' ), $paid, $payment['id'] ) );
		} elseif ( ! $order->has_status( array( 'pending', 'failed', 'on-hold' ) ) ) {
			/* translators: 1: an amount with its currency, 2: the id of a payment, 3: the status of the order */
			self::hold( $order, sprintf( __( '%1$s came by payment %2$s when the order was %3$s. Fulfil it, or give the money back.', 'bursar-gateway' ), $paid, $payment['id'], $order->get_status() ) );
		} else {
			$order->payment_complete( $payment['id'] );
			/* translators: 1: an amount with its currency, 2: the id of a payment */
			$order->add_order_note( sprintf( __( 'Paid with Bursar: %1$s (payment %2$s).', 'bursar-gateway' ), $paid, $payment['id'] ) . ( $payment['livemode'] ? '' : ' ' . __( 'Test mode: no real money moved.', 'bursar-gateway' ) ) );
		}
	}

	/**
	 * A payment ended unpaid: what came for it, if anything, is for a person to look at.
	 *
	 * @param WC_Order $order   The order.
	 * @param array    $payment The payment.
	 */
	private static function unpaid( $order, $payment ) {
		$kept = $payment['amount_received'] - $payment['amount_refunded'];
		if ( $kept > 0 ) {
			/* translators: 1: an amount with its currency, 2: the id of a payment, 3: the amount of the order */
			self::hold( $order, sprintf( __( 'Only %1$s came by payment %2$s, of %3$s, before it ended. Ask for the rest, or give the money back.', 'bursar-gateway' ), Bursar_Money::text( $kept, $payment['currency'] ), $payment['id'], $order->get_currency() . ' ' . $order->get_total() ) );
		} elseif ( $order->has_status( 'pending' ) && $order->get_meta( '_bursar_payment_id' ) === $payment['id'] ) {
			/* translators: 1: the id of a payment, 2: failed, expired or canceled */
			$order->update_status( 'failed', sprintf( __( 'Payment %1$s of Bursar has ended: %2$s.', 'bursar-gateway' ), $payment['id'], $payment['failure_reason'] ?? $payment['status'] ) );
		}
	}

	/**
	 * Leaves an order to a person.
	 *
	 * @param WC_Order $order The order.
	 * @param string   $note  Why.
	 */
	private static function hold( $order, $note ) {
		if ( $order->has_status( array( 'on-hold', 'processing', 'completed', 'refunded' ) ) ) {
			// What is fulfilled, or on its way, stays so.
			$order->add_order_note( $note );
			$order->save();
		} else {
			$order->update_status( 'on-hold', $note );
		}
	}
}
