<?php
/** What a person does once: installs WordPress, and turns the plugins on. */

define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST'] = $argv[2];
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

wp_install( 'Ada’s Shop', 'admin', 'admin@example.com', true, '', 'a password of a test' );
switch_theme( 'bare' );
update_option( 'permalink_structure', '/%postname%/' );
update_option( 'woocommerce_currency', 'NGN' );
foreach ( array( 'woocommerce/woocommerce.php', 'bursar-gateway/bursar-gateway.php' ) as $plugin ) {
	$failed = activate_plugin( $plugin );
	if ( is_wp_error( $failed ) ) {
		exit( $plugin . ': ' . $failed->get_error_message() );
	}
}
echo 'installed WordPress ' . get_bloginfo( 'version' );
