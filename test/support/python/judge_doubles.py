"""Says which bodies the models of others' clients accept: a JSON list of [name, accepted, why]. Reads [[operation, body], …]."""

import json
import re
import sys


def in_snake_case(value):
    """As that client does with each answer before its models see it."""
    if isinstance(value, list):
        return [in_snake_case(one) for one in value]
    if isinstance(value, dict):
        return {re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower(): in_snake_case(one) for key, one in value.items()}
    return value


def paystack_models():
    from pypaystack2.models import response_models as m

    return {
        "POST /transaction/initialize": m.InitTransaction,
        "GET /transaction/verify": m.Transaction,
        "GET /transaction": list[m.Transaction],
        "POST /refund": m.Refund,
        "GET /refund": list[m.Refund],
        "GET /balance/ledger": list[m.BalanceLedgerItem],
        "GET /balance": list[m.IntegrationBalance],
        "POST /customer": m.Customer,
        "GET /customer": m.Customer,
        "GET /dedicated_account/available_providers": list[m.DedicatedAccountProvider],
        "POST /dedicated_account": m.DedicatedAccount,
        "GET /dedicated_account": list[m.DedicatedAccount],
        "GET /bank/resolve": m.BankAccountInfo,
        "GET /bank": list[m.Bank],
        "POST /transferrecipient": m.TransferRecipient,
        "POST /transfer": m.Transfer,
        "GET /transfer/verify": m.Transfer,
    }


def by_pypaystack2(bodies):
    from pydantic import TypeAdapter, ValidationError

    models = paystack_models()
    for operation, body in bodies:
        if operation not in models or body.get("data") is None:
            continue
        try:
            TypeAdapter(models[operation]).validate_python(in_snake_case(body["data"]))
            yield operation, True, ""
        except ValidationError as error:
            first = error.errors()[0]
            yield operation, False, f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def by_dojah(bodies):
    from dojah_client.model.get_full_bvn_response import GetFullBvnResponse
    from dojah_client.model.get_wallet_balance_response import GetWalletBalanceResponse
    from dojah_client.model.nigeria_kyc_get_nin_response import NigeriaKycGetNinResponse

    models = {
        "GET /api/v1/kyc/bvn/full": GetFullBvnResponse,
        "GET /api/v1/kyc/nin": NigeriaKycGetNinResponse,
        "GET /api/v1/balance": GetWalletBalanceResponse,
    }
    for operation, body in bodies:
        if operation not in models:
            continue
        try:
            models[operation].from_openapi_data_oapg(body)
            yield operation, True, ""
        except Exception as error:
            yield operation, False, str(error).split("\n")[0][:160]


judge = {"pypaystack2": by_pypaystack2, "dojah": by_dojah}[sys.argv[1]]
json.dump(list(judge(json.load(sys.stdin))), sys.stdout)
