<?php
/** What the button "Delete" does. */

$_SERVER['HTTP_HOST'] = $argv[2];
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

deactivate_plugins( 'bursar-gateway/bursar-gateway.php' );
uninstall_plugin( 'bursar-gateway/bursar-gateway.php' );
echo wp_json_encode( get_option( 'woocommerce_bursar_settings', 'gone' ) );
