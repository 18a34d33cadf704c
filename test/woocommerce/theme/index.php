<!doctype html>
<html><head><?php wp_head(); ?></head><body><?php do_action( 'bare_content' ); wp_footer(); ?></body></html>
