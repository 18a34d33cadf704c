/**
 * The documents at `/docs`: guides and pages of `docs/` beside the reference, which is made of the
 * OpenAPI document. Plain HTML, made by its first reader and kept; no page needs a script, and
 * nothing comes from another host.
 */
import type { App } from '../../core/app.ts'
import type { PageAnswer, PageRoute, Pages } from '../../core/route.ts'
import { type Html, html } from '../../lib/html.ts'
import { assetRoutes } from './assets.ts'
import { type Group, type Reference, readReference } from './document.ts'
import { type Doc, docSections, pageOf, readLibrary } from './library.ts'
import { llmsFullText, llmsText } from './llms.ts'
import { blocks, type Places, prose, tokensOf } from './markdown.ts'
import { postmanCollection } from './postman.ts'
import { type Entry, search } from './search.ts'
import { sectionsOf } from './sections.ts'
import { languageChoice, type MenuGroup, page } from './view/layout.ts'
import { groupView, recordsOf } from './view/operations.ts'

/** A document of OpenAPI, and where its reference stands. */
type Source = {
  root: string
  title: string
  keyName: string
  hasSdks: boolean
  reference: Reference
}

type Made = {
  library: Map<string, Doc>
  sources: Source[]
  menu: MenuGroup[]
  places(from: string): Places
  entries: Entry[]
}

const groupHref = ({ root }: Source, { slug }: Group): string => `${root}/${slug}`

/** @param documents the OpenAPI documents, as they are when they are asked for */
export function docsPages(documents: { api: () => object; operator: () => object }): Pages<App> {
  let made: Made | null = null
  const making = (): Made => (made ??= make(documents))
  const kept = new Map<string, string>()
  const keep = (path: string, write: () => string): PageAnswer => {
    const known = kept.get(path) ?? write()
    kept.set(path, known)
    return { html: known }
  }
  const get = (
    path: string,
    handler: PageRoute<App>['handler'],
    counted: 'no' | 'by address' = 'no',
  ) => ({ method: 'GET', path, counted, handler }) satisfies PageRoute<App>
  const unknown = (path: string): PageAnswer => {
    const main = html`<h1>There is no such page</h1><p>See <a href="/docs">what there is</a>, or search for it.</p>`
    return { html: page({ title: 'Not found', main, path, menu: making().menu }), status: 404 }
  }
  const docPage = (name: string): PageAnswer => {
    const { library } = making()
    const doc = library.get(name.replace(/\.md$/, ''))
    if (!doc) return unknown(`/docs/${name}`)
    if (name.endsWith('.md')) return { text: doc.text, contentType: 'text/markdown; charset=utf-8' }
    return keep(`/docs/${name}`, () => docView(making(), doc))
  }
  const referencePage = (at: number, slug = ''): PageAnswer => {
    const { sources, menu } = making()
    const source = sources[at] as Source
    const group = source.reference.groups.find((one) => one.slug === slug)
    const path = `${source.root}/${slug}`
    if (!group) return unknown(path)
    return keep(path, () => {
      const main = groupView(source.reference, group, source.keyName, source.hasSdks)
      return page({ title: group.name, main, path, menu })
    })
  }
  const text =
    (write: (made: Made, url: string) => string) =>
    async (app: App): Promise<PageAnswer> => ({
      text: write(making(), app.origin.url),
      contentType: 'text/plain; charset=utf-8',
    })
  const api = ({ sources }: Made): Reference => (sources[0] as Source).reference

  return {
    root: '/docs',
    formLimit: 1024,
    compressed: true,
    contentSecurityPolicy: [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "img-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    routes: [
      ...assetRoutes,
      get('/docs', async () => keep('/docs', () => frontView(making()))),
      get(
        '/docs/search',
        async (_app, { query }) => ({
          html: searchView(making(), (query.q ?? '').slice(0, 100).trim()),
        }),
        'by address',
      ),
      get('/docs/postman.json', async (app) => ({
        file: new TextEncoder().encode(
          JSON.stringify(postmanCollection(api(making()), app.origin.url), null, 2),
        ),
        contentType: 'application/json',
        name: 'bursar.postman_collection.json',
      })),
      get('/docs/api/{slug}', async (_app, { params }) => referencePage(0, params.slug)),
      get('/docs/operator-api/{slug}', async (_app, { params }) => referencePage(1, params.slug)),
      get('/docs/guides/{name}', async (_app, { params }) => docPage(`guides/${params.name}`)),
      get('/docs/{name}', async (_app, { params }) => docPage(params.name ?? '')),
      get(
        '/llms.txt',
        text((found, url) => llmsText(url, [...found.library.values()], api(found))),
      ),
      get(
        '/llms-full.txt',
        text((found, url) => llmsFullText(url, [...found.library.values()], api(found))),
      ),
    ],
    failed: (_error, { path }) => {
      const main = html`<h1>This page cannot be shown now</h1><p>Try again in a minute.</p>`
      return { html: page({ title: 'Not now', main, path, menu: [] }), status: 500 }
    },
  }
}

/** Reads all of it: the documents, the menu over them, and what is sought in. */
function make({ api, operator }: Parameters<typeof docsPages>[0]): Made {
  const library = readLibrary()
  const head = { root: '/docs/api', title: 'API reference', keyName: 'BURSAR_KEY', hasSdks: true }
  const ofOperator = {
    root: '/docs/operator-api',
    title: 'For operators',
    keyName: 'OPERATOR_KEY',
    hasSdks: false,
  }
  const sources: Source[] = [
    { ...head, reference: readReference(api()) },
    { ...ofOperator, reference: readReference(operator()) },
  ]
  const docs = [...library.values()]
  const [integrate, ...others] = docSections.map(({ title, names }) => ({
    title,
    items: docs
      .filter(({ name }) => (names as readonly string[]).includes(name))
      .map((doc) => ({ href: `/docs/${doc.name}`, title: doc.title })),
  })) as [MenuGroup, ...MenuGroup[]]
  const menu: MenuGroup[] = [
    integrate,
    ...sources.map((source) => ({
      title: source.title,
      items: source.reference.groups.map((group) => ({
        href: groupHref(source, group),
        title: group.name,
        within: group.operations.map(({ id, summary }) => ({
          href: `${groupHref(source, group)}#${id}`,
          title: summary,
        })),
      })),
    })),
    ...others,
  ]
  const operations = new Map<string, string>(
    sources.flatMap((source) =>
      source.reference.groups.flatMap((group) =>
        group.operations.map(
          ({ id, method, path }) =>
            [`${method} ${path}`, `${groupHref(source, group)}#${id}`] as const,
        ),
      ),
    ),
  )
  const places = (from: string): Places => ({
    page: (target) => pageOf(library, from, target),
    operation: (code) => operations.get(code) ?? null,
  })
  return { library, sources, menu, places, entries: entriesOf(docs, sources) }
}

function entriesOf(docs: readonly Doc[], sources: readonly Source[]): Entry[] {
  const ofDocs = docs.flatMap(({ name, title, text }) =>
    sectionsOf(tokensOf(text)).map(({ id, heading, text: said }) => ({
      title: heading ?? title,
      kind: name.startsWith('guides/') ? `Guide: ${title}` : title,
      href: `/docs/${name}${id === null ? '' : `#${id}`}`,
      text: said,
    })),
  )
  const ofSources = sources.flatMap((source) =>
    source.reference.groups.flatMap((group) => [
      ...group.operations.map(({ id, method, path, summary, description, parameters }) => ({
        title: summary,
        kind: `${method} ${path} ${id}`,
        href: `${groupHref(source, group)}#${id}`,
        text: [description, group.name, ...parameters.map(({ name }) => name)].join(' '),
      })),
      ...group.events.map(({ type, meaning }) => ({
        title: type,
        kind: 'Event',
        href: `${groupHref(source, group)}#${type}`,
        text: meaning,
      })),
      ...recordsOf(source.reference, group).map((name) => ({
        title: name,
        kind: 'Record',
        href: `${groupHref(source, group)}#record-${name}`,
        text: JSON.stringify(
          source.reference.resolve({ $ref: `#/components/schemas/${name}` }).properties ?? {},
        ),
      })),
    ]),
  )
  return [...ofSources, ...ofDocs]
}

function docView({ menu, places }: Made, doc: Doc): string {
  const { main, headings, hasLanguages } = blocks(tokensOf(doc.text), places(doc.name))
  const sections = headings.filter(({ depth }) => depth === 2)
  const path = `/docs/${doc.name}`
  const contents =
    sections.length > 4 &&
    html`<details><summary>On this page</summary><ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`
  return page({
    title: doc.title,
    main: html`${hasLanguages && languageChoice}${contents}${main}`,
    path,
    menu,
  })
}

function frontView({ library, sources, menu }: Made): string {
  const cards = (items: { href: string; title: string; about: string }[]): Html =>
    html`<ul class="cards">${items.map(
      ({ href, title, about }) =>
        html`<li><a href="${href}"><strong>${title}</strong><span>${about}</span></a></li>`,
    )}</ul>`
  const guides = [...library.values()].filter(({ name }) => name.startsWith('guides/'))
  const main = html`<h1>Bursar docs</h1>
<p class="lead">Take payments, hold money, pay it out. Each guide is a screen; each sample in it is run against a server by our tests.</p>
${guides.length > 0 && html`<h2>Guides</h2>${cards(guides.map(({ name, title, about }) => ({ href: `/docs/${name}`, title, about: about.split('. ')[0] ?? '' })))}`}
${sources.map(
  (source) => html`<h2>${source.title}</h2>
<p>${prose(source.reference.about)}</p>
<ul class="list">${source.reference.groups.flatMap((group) => [
    html`<li><strong><a href="${groupHref(source, group)}">${group.name}</a></strong><span class="dim">${prose(group.description.split('. ')[0] ?? '')}</span></li>`,
  ])}</ul>`,
)}
<h2>For programs</h2>
<p><a href="/openapi.json">OpenAPI 3.1</a>, <a href="/operator/openapi.json">that of operators</a>, <a href="/docs/postman.json">a collection for Postman</a>, <a href="/llms.txt">llms.txt</a>. Each page of these documents is Markdown, too: put <code>.md</code> behind its address.</p>`
  return page({ title: 'Docs', main, path: '/docs', menu })
}

function searchView({ entries, menu }: Made, query: string): string {
  const found = search(entries, query)
  const main = html`<h1>Search</h1>
<p role="status">${query === '' ? 'Type what you look for.' : `${found.length === 0 ? 'Nothing' : found.length} found for “${query}”.`}</p>
${found.map(
  ({ title, kind, href }) =>
    html`<div class="found"><p><a href="${href}">${title}</a></p><p class="dim">${kind}</p></div>`,
)}`
  return page({ title: `Search: ${query}`, main, path: '/docs/search', menu, query })
}
