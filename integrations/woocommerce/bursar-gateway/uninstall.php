<?php
/**
 * Takes the settings away, the key and the secret with them. What stands on orders stays: it belongs to the shop's books.
 *
 * @package Bursar
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

delete_option( 'woocommerce_bursar_settings' );
