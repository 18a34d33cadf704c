import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { keyOf, keysOf } from '../ports/screen.ts'
import { namesAgree, wordsOfName } from './person-names.ts'

const ngozi = { given: ['ADAEZE', 'NGOZI'], family: 'OKAFOR' }

describe('the name of a document', () => {
  it('agrees whatever the case, the order, the diacritics and the punctuation', () => {
    for (const [firstName, lastName] of [
      ['Adaeze', 'Okafor'],
      ['Okafor', 'Adaeze'],
      ['Ngozi', 'Okafor'],
      ['Adaeze Ngozi', 'Okafor'],
      ['adaeze-ngozi', 'OKAFOR'],
      ['Àdáézè', 'Ọkafọr'],
      ["Ada'eze", 'Okafor.'],
    ] as const)
      assert.equal(namesAgree({ firstName, lastName }, ngozi), true, `${firstName} ${lastName}`)
    assert.ok(
      namesAgree(
        { firstName: 'Musa', lastName: 'Dantata-Bello' },
        { given: ['MUSA'], family: 'ƊANTATA BELLO' },
      ),
    )
    assert.ok(
      namesAgree(
        { firstName: 'Musa', lastName: 'Bello' },
        { given: ['Musa'], family: 'Dantata Bello' },
      ),
    )
    assert.ok(
      namesAgree({ firstName: 'Bola', lastName: 'Ade' }, { given: ['Bola', 'Ade'], family: 'Ade' }),
    )
  })

  it('is somebody else’s where a word is not in it, or one of its parts is not named', () => {
    for (const [firstName, lastName] of [
      ['Ada', 'Okafor'],
      ['Adaeze', 'Okafor Bello'],
      ['Adaeze', 'Ngozi'],
      ['A.', 'Okafor'],
      ['Okafor', 'Okafor'],
      ['Okafor', '.'],
      ['Adaeze', 'Adaeze Okafor'],
      ['Mrs Adaeze', 'Okafor'],
    ] as const)
      assert.equal(namesAgree({ firstName, lastName }, ngozi), false, `${firstName} ${lastName}`)
  })

  it('has the same words with and without apostrophes, and with letters that Unicode does not decompose', () => {
    for (const [name, words] of [
      ["Sean O'Brien", 'sean obrien'],
      ['SEAN OBRIEN', 'sean obrien'],
      ["C'hidi Nwosu", 'chidi nwosu'],
      ['C\u2019hidi Nwosu', 'chidi nwosu'],
      ['C\u00b4hidi', 'chidi'],
      ['Ɗanladi Ɓello Ƙasim', 'danladi bello kasim'],
      ['Łukasz Ørsted Đorđević', 'lukasz orsted dordevic'],
      ['Strauß Æthelred Œuvre Þór', 'strauss aethelred oeuvre thor'],
      ['Kɔfi Ŋma Ƴar Ǝwa', 'kofi nma yar ewa'],
      ['ŞIĞIT İnönü Ħamrun', 'sigit inonu hamrun'],
      ['Ẹniọlá-Adé', 'eniola ade'],
    ] as const)
      assert.equal(wordsOfName(name).join(' '), words, name)
  })

  it('has the vowels and tones of its script, so that other names have other words', () => {
    for (const [one, another] of [
      ['राम', 'रीमा'], // Rām, Rīmā
      ['सुनील कुमार', 'सनल कमर'], // Sunīl Kumār, and the same without vowels
      ['মিনা', 'মীনু'], // Mina, Mīnu
      ['கமலா', 'கமலி'], // Kamalā, Kamali
      ['ਹਰਪ੍ਰੀਤ', 'ਹਰਪਾਤ'],
      ['રમેશ', 'રમૂશ'],
      ['రాజు', 'రాజా'],
      ['ರವಿ', 'ರಾವ'],
      ['ബിനു', 'ബീന'],
      ['නිමල්', 'නාමල්'],
      ['ก้อง', 'กอง'], // Kông, Kong
      ['သီရိ', 'သူရ'],
      ['សុខ', 'សាខ'],
      ['じゅん', 'しゅん'], // Jun, Shun
      ['ޢަލީ', 'ޢުލު'],
    ] as const) {
      assert.notEqual(keyOf.name(one), keyOf.name(another), `${one} ${another}`)
      assert.equal(wordsOfName(one).length, one.split(' ').length, one)
      assert.equal(keyOf.name(one.normalize('NFD')), keyOf.name(one.normalize('NFC')), one)
    }
    assert.ok(
      namesAgree({ firstName: 'सुनील', lastName: 'कुमार' }, { given: ['सुनील'], family: 'कुमार' }),
    )
    assert.ok(
      !namesAgree({ firstName: 'सुनील', lastName: 'कुमार' }, { given: ['सनल'], family: 'कमर' }),
    )
  })

  it('has the same words with and without points that are left out as often', () => {
    for (const [one, another] of [
      ['फ़ैज़ान', 'फैजान'], // Faizān
      ['مُحَمَّد', 'محمد'],
      ['מֹשֶׁה', 'משה'],
      ['Γιώργος', 'Γιωργος'],
      ['Фёдор', 'Федор'],
      ['Nguyễn Thị Ánh', 'nguyen thi anh'],
    ] as const)
      assert.equal(keyOf.name(one), keyOf.name(another), `${one} ${another}`)
  })

  it('is not divided by characters that nobody sees', () => {
    for (const one of [
      '\u200b',
      '\u200c',
      '\u200d',
      '\u2060',
      '\ufeff',
      '\u00ad',
      '\u034f',
      '\u061c',
      '\u180e',
      '\u2067',
    ])
      assert.deepEqual(
        wordsOfName(`Ade${one}ola Ok${one}oye`),
        ['adeola', 'okoye'],
        JSON.stringify(one),
      )
    assert.deepEqual(wordsOfName('علی\u200cرضا'), ['علیرضا'])
    assert.deepEqual(wordsOfName('ශ්\u200dරී'), wordsOfName('ශ්රී'))
  })

  it('has the same words however it is written', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        assert.deepEqual(wordsOfName(words.map((one) => one.toUpperCase()).join('-')), words)
        assert.deepEqual(
          wordsOfName(words.map((one) => `${one[0]}\u0301${one.slice(1)}`).join('  ')),
          words,
        )
      }),
    )
  })
})

describe('the keys by which a name is screened', () => {
  it('are those of a list that writes it with, without or apart at its apostrophe', () => {
    for (const [listed, paid] of [
      ['SEAN O BRIEN', "Sean O'Brien"],
      ['SEAN OBRIEN', 'Sean O’Brien'],
      ["D'SOUZA ANA", 'Ana D Souza'],
      ["SEAN O'BRIEN", 'Sean OBrien'],
    ] as const)
      assert.ok(keysOf({ names: [paid] }).has(keyOf.name(listed)), `${listed} and ${paid}`)
    assert.equal(keysOf({ names: ['Sean Brien'] }).has(keyOf.name("Sean O'Brien")), false)
  })
})
