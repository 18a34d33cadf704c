<?php

/** What an application of Laravel gives the example, of Debian's illuminate packages. */

use Illuminate\Bus\BusServiceProvider;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Events\Dispatcher as Events;
use Illuminate\Queue\Capsule\Manager as Queues;
use Illuminate\Queue\Connectors\DatabaseConnector;
use Illuminate\Routing\Router;
use Illuminate\Support\Facades\Facade;

// Debian's Laravel is older than its PHP, which says so of each file.
error_reporting(E_ALL & ~E_DEPRECATED);
foreach (['Bus', 'Container', 'Database', 'Events', 'Http', 'Queue', 'Routing', 'Support'] as $component) {
    require_once "/usr/share/php/Illuminate/$component/autoload.php";
}
$sdk = getenv('SDK');
$prefixes = ['App\\' => __DIR__ . '/app/'];
foreach (json_decode(file_get_contents("$sdk/composer.json"), true)['autoload']['psr-4'] as $prefix => $dir) {
    $prefixes[$prefix] = "$sdk/$dir";
}
spl_autoload_register(function (string $class) use ($prefixes) {
    foreach ($prefixes as $prefix => $dir) {
        $file = $dir . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
            return;
        }
    }
});

$app = new Container();
Container::setInstance($app);
$app->instance(Illuminate\Contracts\Container\Container::class, $app);
Facade::setFacadeApplication($app);
$app->instance('events', new Events($app));
$app->alias('events', Illuminate\Contracts\Events\Dispatcher::class);

/** What a program says is read from its standard output, which a page has not. */
$app->instance('log', new class () {
    public function info(string $line): void
    {
        file_put_contents('php://stdout', "$line\n");
    }

    public function warning(string $line): void
    {
        file_put_contents('php://stderr', "$line\n");
    }
});

$path = getenv('INBOX');
$new = !is_file($path);
touch($path);
$capsule = new Manager($app);
$capsule->addConnection(['driver' => 'sqlite', 'database' => $path]);
$app->instance('db', $capsule->getDatabaseManager());
$app->instance('db.schema', $capsule->getConnection()->getSchemaBuilder());
$app->alias('db', Illuminate\Database\ConnectionResolverInterface::class);
if ($new) {
    (require glob(__DIR__ . '/database/migrations/*.php')[0])->up();
    $app['db.schema']->create('jobs', function ($table) {
        $table->bigIncrements('id');
        $table->string('queue')->index();
        $table->longText('payload');
        $table->unsignedTinyInteger('attempts');
        $table->unsignedInteger('reserved_at')->nullable();
        $table->unsignedInteger('available_at');
        $table->unsignedInteger('created_at');
    });
}

$queues = new Queues($app);
$queues->addConnection(['driver' => 'database', 'table' => 'jobs', 'queue' => 'default', 'retry_after' => 90], 'default');
$queues->getQueueManager()->addConnector('database', fn () => new DatabaseConnector($app['db']));
$app->instance('queue', $queues->getQueueManager());
$app->alias('queue', Illuminate\Contracts\Queue\Factory::class);
(new BusServiceProvider($app))->register();

$app->instance('router', new Router($app['events'], $app));
require __DIR__ . '/routes/bursar.php';

function config(string $key): mixed
{
    return ['services.bursar.webhook_secret' => getenv('BURSAR_WEBHOOK_SECRET')][$key];
}
