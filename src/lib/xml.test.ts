/**
 * Goal: data is read as it was written, and what could make a reader open files or grow without end
 * is refused. Method: documents as text; random texts through the writer of escapes.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { html } from './html.ts'
import { readXml, textAt, XmlFault } from './xml.ts'

describe('XML', () => {
  it('is read with namespaces, references, comments and CDATA', () => {
    const root = readXml(
      `\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<!-- a --><p:A xmlns:p="urn:p" xmlns='urn:d' x="1 &amp; 2"><B>a&#x41;<!-- b -->&lt;</B><p:B><![CDATA[<&]]></p:B><C/></p:A>\n`,
    )
    assert.deepEqual([root.name, root.namespace, root.attributes.get('x')], ['A', 'urn:p', '1 & 2'])
    assert.deepEqual(
      root.children.map(({ name, namespace, text }) => [name, namespace, text]),
      [
        ['B', 'urn:d', 'aA<'],
        ['B', 'urn:p', '<&'],
        ['C', 'urn:d', ''],
      ],
    )
    assert.equal(textAt(root, 'B'), 'aA<')
    assert.equal(textAt(root, 'C/D'), undefined)
  })

  it('keeps every text that it can carry', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, value) => {
        // A reader of XML takes line breaks and tabs of an attribute as they are here.
        const root = readXml(`<a b="${html`${value}`}">${html`${text}`}</a>`)
        assert.deepEqual([root.text, root.attributes.get('b')], [text, value])
      }),
    )
  })

  it('is refused with line and column where it is not well-formed or not only data', () => {
    for (const [text, says] of [
      ['<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', /a document type/],
      ['<a>\n<!DOCTYPE a></a>', /Line 2, column 9: inappropriately located doctype/],
      ['<a>&b;</a>', /undefined entity/],
      ['<a>&constructor;</a>', /undefined entity/],
      ['<a>a & b</a>', /unclosed tag/],
      ['<a>&#0;</a>', /malformed character entity/],
      ['<a>&#xD800;</a>', /malformed character entity/],
      ['<a>\u0001</a>', /disallowed character/],
      ['<a>\ud800</a>', /unclosed tag/],
      ['<a><?php x ?></a>', /a processing instruction/],
      ['<?xml version="1.0" encoding="ISO-8859-1"?><a/>', /ISO-8859-1 is not read/],
      ['<?xml version="1.1"?><a/>', /only XML 1\.0/],
      ['<a><b></a></b>', /unexpected close tag/],
      ['<a><b></b>', /unclosed tag: a/],
      ['<a/><b/>', /only one root/],
      ['<a/>text', /text data outside/],
      ['<a b="1" b="2"/>', /duplicate attribute: b/],
      ['<a b=1/>', /unquoted attribute/],
      ['<p:a/>', /unbound namespace prefix: "p"/],
      ['', /must contain a root element/],
      [`${'<a>'.repeat(65)}${'</a>'.repeat(65)}`, /nested too deeply/],
    ] as const)
      assert.throws(
        () => readXml(text),
        (error) => error instanceof XmlFault && says.test(error.message),
        text,
      )
  })
})
