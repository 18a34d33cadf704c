<?php

// Loads every class of the installed package, so that PHP has compiled and linked it; and compiles the code of its README.

declare(strict_types=1);

require 'vendor/autoload.php';

$count = 0;
$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator('vendor/bursar/bursar/src', FilesystemIterator::SKIP_DOTS));
foreach ($files as $file) {
    require_once $file->getRealPath();
    $count++;
}
preg_match_all('/^```php\n(.*?)^```$/ms', file_get_contents('vendor/bursar/bursar/README.md'), $found);
foreach ($found[1] as $code) {
    token_get_all("<?php\n$code", TOKEN_PARSE);
}
echo "$count classes\n";
