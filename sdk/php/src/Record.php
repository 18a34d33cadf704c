<?php

declare(strict_types=1);

namespace Bursar;

/**
 * A record as the server answered it: `$payout->amount` or `$payout['amount']`. Fields of later servers, which this version does not know,
 * are there too.
 *
 * @implements \ArrayAccess<string, mixed>
 * @implements \IteratorAggregate<string, mixed>
 */
abstract class Record implements \ArrayAccess, \IteratorAggregate, \JsonSerializable
{
    /** How fields are read that hold records or maps. */
    protected const SHAPES = [];
    /** Fields that an answer may leave out, which are null then. */
    protected const OPTIONAL = [];
    /** The classes by the value of `type`. */
    protected const VARIANTS = [];

    /** @var array<string, mixed> */
    private array $fields = [];

    /** @param array<string, mixed> $data */
    final public function __construct(private readonly array $data)
    {
        foreach (static::OPTIONAL as $name) {
            $this->fields[$name] = null;
        }
        foreach ($data as $name => $value) {
            $this->fields[$name] = self::read(static::SHAPES[$name] ?? null, $value);
        }
    }

    /** Makes a record of a value, by its shape. What does not have that shape, from a later server, stays as it came. */
    public static function read(mixed $shape, mixed $value): mixed
    {
        if ($shape === null || !is_array($value)) {
            return $value;
        }
        if (is_array($shape)) {
            $of = $shape['*'] ?? $shape[0] ?? null;
            return array_map(static fn (mixed $one): mixed => self::read($of, $one), $value);
        }
        $type = $value['type'] ?? null;
        $class = is_string($type) ? $shape::VARIANTS[$type] ?? $shape : $shape;
        return new $class($value);
    }

    public function __get(string $name): mixed
    {
        if (!array_key_exists($name, $this->fields)) {
            throw new Errors\BursarError(static::class . " has no field $name.");
        }
        return $this->fields[$name];
    }

    public function __isset(string $name): bool
    {
        return isset($this->fields[$name]);
    }

    public function __set(string $name, mixed $value): never
    {
        throw new Errors\BursarError(static::class . ' is what the server answered, and cannot be changed.');
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->fields[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return $this->__get($offset);
    }

    public function offsetSet(mixed $offset, mixed $value): never
    {
        $this->__set((string) $offset, $value);
    }

    public function offsetUnset(mixed $offset): never
    {
        $this->__set((string) $offset, null);
    }

    public function getIterator(): \Iterator
    {
        return new \ArrayIterator($this->fields);
    }

    /**
     * What came, as arrays.
     *
     * @return array<string, mixed>
     */
    public function toArray(): array
    {
        return $this->data;
    }

    /** As it came: an empty object is one again. */
    public function jsonSerialize(): mixed
    {
        $json = array_intersect_key($this->fields, $this->data);
        foreach (static::SHAPES as $name => $shape) {
            if (is_array($shape) && array_key_exists('*', $shape) && ($json[$name] ?? null) === []) {
                $json[$name] = new \stdClass();
            }
        }
        return $json === [] ? new \stdClass() : $json;
    }
}
