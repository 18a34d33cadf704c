<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Where it goes: a payout destination; `{card: {brand, last4}}`; or, where the rail that took a transfer gives it back, what is known of its sender.
 *
 * @property-read string|null $currency The currency to arrive.
 * @property-read string|null $chain Crypto: a network id of GET /crypto/tokens.
 * @property-read string|null $address Crypto: the address, with its EIP-55 checksum.
 * @property-read string|null $country Bank: the country of the bank. Default `ng`.
 * @property-read string|null $bank_code Bank, ng: a code of GET /misc/ng/banks.
 * @property-read string|null $account_number Bank: the account number; ten digits for `ng`.
 * @property-read string|null $account_name Bank: the holder. Needed for `us`, compared for `ng`.
 * @property-read string|null $routing_number Bank, us: the ABA routing number.
 * @property-read string|null $account_type Bank, us: the kind of account.
 * @property-read HolderAddress|null $holder_address Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it.
 * @property-read string|null $contract_address Crypto: the token’s contract on that chain.
 * @property-read string|null $bank_name Bank: its name.
 * @property-read string|null $resolved_account_name Bank, ng: the holder as the bank knows it.
 * @property-read RefundCard|null $card The card that the money goes back to.
 */
final class RefundDestination extends Record
{
    protected const SHAPES = [
        'holder_address' => HolderAddress::class,
        'card' => RefundCard::class,
    ];
    protected const OPTIONAL = ['currency', 'chain', 'address', 'country', 'bank_code', 'account_number', 'account_name', 'routing_number', 'account_type', 'holder_address', 'contract_address', 'bank_name', 'resolved_account_name', 'card'];
}
