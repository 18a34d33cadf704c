import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAbaRouting } from '../../rails/reference/bank-numbers.ts'
import { nigerianBanks } from './banks.ng.ts'
import { bankByCode, banksOf, usBanks } from './banks.ts'

describe('the bank lists', () => {
  it('have as many banks of each kind as were collected', () => {
    const kinds: Record<string, number> = {}
    for (const { type } of nigerianBanks) kinds[type] = (kinds[type] ?? 0) + 1
    assert.deepEqual(kinds, {
      commercial: 33,
      merchant: 4,
      payment_service_bank: 5,
      mortgage: 11,
      microfinance: 106,
      finance_company: 8,
      fintech: 10,
    })
    assert.equal(nigerianBanks.length, 177)
    assert.equal(nigerianBanks.filter((bank) => bank.nip_code !== null).length, 133)
    assert.equal(usBanks.length, 6)
  })

  for (const country of ['ng', 'us'] as const) {
    it(`have no code and no name twice in ${country}`, () => {
      const banks = banksOf(country)
      assert.equal(new Set(banks.map((bank) => bank.code)).size, banks.length)
      assert.equal(new Set(banks.map((bank) => bank.name)).size, banks.length)
    })

    it(`are sorted by name in ${country}`, () => {
      const names = banksOf(country).map((bank) => bank.name)
      assert.deepEqual(
        names,
        names.toSorted((a, b) => a.localeCompare(b, 'en')),
      )
    })

    it(`are found by code in ${country}`, () => {
      for (const bank of banksOf(country)) assert.equal(bankByCode(country, bank.code), bank)
      assert.equal(bankByCode(country, 'no such code'), null)
      assert.equal(bankByCode(country, 'constructor'), null)
    })
  }

  it('keep the countries apart', () => {
    assert.equal(bankByCode('us', '044'), null)
    assert.equal(bankByCode('ng', '021000021'), null)
    assert.ok(banksOf('ng').every((bank) => bank.currency === 'ngn'))
    assert.ok(banksOf('us').every((bank) => bank.currency === 'usd'))
  })

  it('have codes of the right shape', () => {
    for (const bank of nigerianBanks) {
      assert.match(bank.code, /^[0-9A-Z]{3,8}$/, bank.name)
      if (bank.nip_code !== null) assert.match(bank.nip_code, /^\d{6}$/, bank.name)
      if (bank.nuban_institution !== null)
        assert.match(bank.nuban_institution, /^(000\d{3}|9\d{5})$/, bank.name)
    }
  })

  it('have US routing numbers that pass the ABA check', () => {
    for (const bank of usBanks) assert.ok(isAbaRouting(bank.code), bank.name)
  })

  it('know some banks', () => {
    assert.deepEqual(bankByCode('ng', '058'), {
      code: '058',
      name: 'Guaranty Trust Bank',
      type: 'commercial',
      currency: 'ngn',
      nip_code: '000013',
      nuban_institution: '000058',
    })
    assert.equal(bankByCode('ng', '035A')?.nuban_institution, '000035')
    assert.equal(bankByCode('us', '110000000')?.name, 'Sandbox Bank')
  })
})
