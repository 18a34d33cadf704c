<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A network that a stablecoin moves on.
 *
 * @property-read string $id What destinations name as `chain`.
 * @property-read string $name The network’s name.
 * @property-read int $chain_id Its EVM chain id.
 * @property-read string $contract_address The token’s contract there, with its EIP-55 checksum.
 * @property-read int $decimals Decimals of the token’s own units. Amounts of this API are cents all the same.
 * @property-read int $confirmations Blocks on top of a deposit before it is credited.
 * @property-read bool $testnet Whether it is a test network.
 * @property-read bool $connected Whether this server speaks to the network in this mode. In test mode the sandbox plays the others; in live mode they cannot be used.
 */
final class CryptoNetwork extends Record
{
}
