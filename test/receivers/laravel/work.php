<?php

/** `queue:work --stop-when-empty` in few words. */

require __DIR__ . '/bootstrap.php';

while ($job = $app['queue']->connection('default')->pop()) {
    $job->fire();
}
