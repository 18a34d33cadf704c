/**
 * The documents at `/docs`: the guides and pages of `docs/`, and the reference from the OpenAPI
 * documents. The first request makes a page, which is then kept. No page needs a script or another
 * host.
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
import { type Entry, type Found, SearchIndex } from './search.ts'
import { sectionsOf } from './sections.ts'
import { languageChoice, type MenuGroup, page } from './view/layout.ts'
import { groupView, recordsOf } from './view/operations.ts'

/** The reference of an OpenAPI document, and its address. */
type Source = {
  root: string
  title: string
  keyName: string
  hasSdks: boolean
  reference: Reference
}

type Site = {
  library: Map<string, Doc>
  sources: Source[]
  menu: MenuGroup[]
  places(from: string): Places
  /** What can be found. */
  entries(): Entry[]
}

/** The OpenAPI documents with the server's present address. */
type Documents = { api: () => object; operator: () => object }

/** Results that are shown while the reader types. */
const mostWhileTyping = 8

const groupHref = ({ root }: Source, { slug }: Group): string => `${root}/${slug}`

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Returns the pages of `/docs`. */
export function docsPages(documents: Documents): Pages<App> {
  const pages = new DocsPages(documents)
  const get = (
    path: string,
    handler: PageRoute<App>['handler'],
    counted: 'no' | 'by address' = 'no',
  ) => ({ method: 'GET', path, counted, handler }) satisfies PageRoute<App>
  return {
    root: '/docs',
    formLimit: 1024,
    compressed: true,
    contentSecurityPolicy,
    routes: [
      ...assetRoutes,
      get('/docs', async () => pages.front()),
      get('/docs/search', async (_app, { query }) => pages.search(query), 'by address'),
      get('/docs/postman.json', async (app) => pages.postman(app.origin.url)),
      get('/docs/api/{slug}', async (_app, { params }) => pages.reference(0, params.slug)),
      get('/docs/operator-api/{slug}', async (_app, { params }) => pages.reference(1, params.slug)),
      get('/docs/guides/{name}', async (_app, { params }) => pages.doc(`guides/${params.name}`)),
      get('/docs/{name}', async (_app, { params }) => pages.doc(params.name ?? '')),
      get('/llms.txt', async (app) => pages.text(llmsText, app.origin.url)),
      get('/llms-full.txt', async (app) => pages.text(llmsFullText, app.origin.url)),
    ],
    failed: (_error, { path }) => {
      const main = html`<h1>This page cannot be shown now</h1><p>Try again in a minute.</p>`
      return { html: page({ title: 'Not now', main, path, menu: [] }), status: 500 }
    },
  }
}

/** Makes the pages on their first request, and keeps them. */
class DocsPages {
  readonly #documents: Documents
  readonly #kept = new Map<string, string>()
  #made: Site | null = null
  #index: Promise<SearchIndex> | null = null

  constructor(documents: Documents) {
    this.#documents = documents
  }

  get #site(): Site {
    this.#made ??= makeSite(this.#documents)
    return this.#made
  }

  get #api(): Reference {
    return (this.#site.sources[0] as Source).reference
  }

  front(): PageAnswer {
    return this.#keep('/docs', () => frontView(this.#site))
  }

  /** @param query `part`: for the script, which shows the first results while the reader types */
  async search({ q = '', part }: { q?: string; part?: string }): Promise<PageAnswer> {
    const text = q.slice(0, 100).trim()
    this.#index ??= SearchIndex.build(this.#site.entries())
    const found = text === '' ? [] : (await this.#index).find(text)
    if (part === undefined) return { html: searchView(this.#site, text, found) }
    return { html: resultsView(text, found.slice(0, mostWhileTyping)).toString() }
  }

  doc(name: string): PageAnswer {
    const doc = this.#site.library.get(name.replace(/\.md$/, ''))
    if (!doc) return this.#unknown(`/docs/${name}`)
    if (name.endsWith('.md')) return { text: doc.text, contentType: 'text/markdown; charset=utf-8' }
    return this.#keep(`/docs/${name}`, () => docView(this.#site, doc))
  }

  reference(at: number, slug = ''): PageAnswer {
    const { sources, menu } = this.#site
    const source = sources[at] as Source
    const group = source.reference.groups.find((one) => one.slug === slug)
    const path = `${source.root}/${slug}`
    if (!group) return this.#unknown(path)
    return this.#keep(path, () => {
      const main = groupView(source.reference, group, source.keyName, source.hasSdks)
      return page({ title: group.name, main, path, menu })
    })
  }

  postman(url: string): PageAnswer {
    const collection = JSON.stringify(postmanCollection(this.#api, url), null, 2)
    return {
      file: new TextEncoder().encode(collection),
      contentType: 'application/json',
      name: 'bursar.postman_collection.json',
    }
  }

  text(
    write: (url: string, docs: readonly Doc[], api: Reference) => string,
    url: string,
  ): PageAnswer {
    const text = write(url, [...this.#site.library.values()], this.#api)
    return { text, contentType: 'text/plain; charset=utf-8' }
  }

  #keep(path: string, write: () => string): PageAnswer {
    const text = this.#kept.get(path) ?? write()
    this.#kept.set(path, text)
    return { html: text }
  }

  #unknown(path: string): PageAnswer {
    const main = html`<h1>There is no such page</h1><p>See <a href="/docs">what there is</a>, or search for it.</p>`
    return { html: page({ title: 'Not found', main, path, menu: this.#site.menu }), status: 404 }
  }
}

/** Reads the documents, and makes the menu and the search entries. */
function makeSite({ api, operator }: Documents): Site {
  const library = readLibrary()
  const docs = [...library.values()]
  const sources: Source[] = [
    {
      root: '/docs/api',
      title: 'API reference',
      keyName: 'BURSAR_KEY',
      hasSdks: true,
      reference: readReference(api()),
    },
    {
      root: '/docs/operator-api',
      title: 'For operators',
      keyName: 'OPERATOR_KEY',
      hasSdks: false,
      reference: readReference(operator()),
    },
  ]
  const operations = hrefsOf(sources)
  return {
    library,
    sources,
    menu: menuOf(docs, sources),
    places: (from) => ({
      page: (target) => pageOf(library, from, target),
      operation: (code) => operations.get(code) ?? null,
    }),
    entries: () => entriesOf(docs, sources),
  }
}

/** Returns the menu: documents for integrating, the references, then the other documents. */
function menuOf(docs: readonly Doc[], sources: readonly Source[]): MenuGroup[] {
  const [integrate, ...others] = docSections.map(({ title, names }) => ({
    title,
    items: docs
      .filter(({ name }) => (names as readonly string[]).includes(name))
      .map((doc) => ({ href: `/docs/${doc.name}`, title: doc.title })),
  })) as [MenuGroup, ...MenuGroup[]]
  const references = sources.map((source) => ({
    title: source.title,
    items: source.reference.groups.map((group) => ({
      href: groupHref(source, group),
      title: group.name,
      within: group.operations.map(({ id, summary }) => ({
        href: `${groupHref(source, group)}#${id}`,
        title: summary,
      })),
    })),
  }))
  return [integrate, ...references, ...others]
}

/** Returns where each operation stands in its reference, by `POST /payouts`. */
const hrefsOf = (sources: readonly Source[]): Map<string, string> =>
  new Map(
    sources.flatMap((source) =>
      source.reference.groups.flatMap((group) =>
        group.operations.map(
          ({ id, method, path }) =>
            [`${method} ${path}`, `${groupHref(source, group)}#${id}`] as const,
        ),
      ),
    ),
  )

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

function docView({ library, menu, places }: Site, doc: Doc): string {
  const { main, headings, hasLanguages } = blocks(tokensOf(doc.text), places(doc.name))
  const sections = headings.filter(({ depth }) => depth === 2)
  const list = html`<ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`
  const contents =
    sections.length > 2 &&
    html`<nav class="toc" aria-label="On this page"><p>On this page</p>${list}</nav><details class="toc"><summary>On this page</summary>${list}</details>`
  return page({
    title: doc.title,
    main: html`${contents}${hasLanguages && languageChoice}${main}${neighboursView(library, doc)}`,
    path: `/docs/${doc.name}`,
    menu,
  })
}

/** Links to the documents before and after one, within its section. */
function neighboursView(library: Site['library'], { name }: Doc): Html | false {
  const names: readonly string[] =
    docSections.find((section) => (section.names as readonly string[]).includes(name))?.names ?? []
  const at = names.indexOf(name)
  const link = (rel: string, label: string, other: string | undefined): Html | false =>
    other !== undefined &&
    html`<a rel="${rel}" href="/docs/${other}"><span>${label}</span>${library.get(other)?.title}</a>`
  return (
    at >= 0 &&
    html`<nav class="neighbours" aria-label="Next and previous">${link('prev', 'Previous', names[at - 1])}${link('next', 'Next', names[at + 1])}</nav>`
  )
}

/** Pages of a section that the front page shows at once. */
const shownOfSection = 6

const pagesView = (docs: readonly Doc[]): Html =>
  html`<ul class="pages">${docs.map(({ name, title, about }) => html`<li><a href="/docs/${name}">${title}</a><span class="dim">${about.split('. ')[0]}</span></li>`)}</ul>`

function frontView({ library, sources, menu }: Site): string {
  const doors = docSections.map(({ title, about, names }) => {
    const docs = names.map((name) => library.get(name)).filter((doc) => doc !== undefined)
    return { title, about, docs, first: docs[0] as Doc }
  })
  const main = html`<h1>Bursar docs</h1>
<p class="lead">Take payments, hold money, pay it out.</p>
<ul class="cards">${doors.map(
    ({ title, about, first }) =>
      html`<li><a href="#${title.toLowerCase()}"><strong>${title}</strong><span>${about} Begin with “${first.title}”.</span></a></li>`,
  )}</ul>
${doors.map(
  ({ title, docs }) => html`<h2 id="${title.toLowerCase()}">${title}</h2>
${pagesView(docs.slice(0, shownOfSection))}
${docs.length > shownOfSection && html`<details><summary>${docs.length - shownOfSection} more pages</summary>${pagesView(docs.slice(shownOfSection))}</details>`}`,
)}
${sources.map(
  (source) => html`<h2 id="${source.root.slice('/docs/'.length)}">${source.title}</h2>
<p>${prose(source.reference.about)}</p>
<ul class="pages">${source.reference.groups.map((group) => html`<li><a href="${groupHref(source, group)}">${group.name}</a><span class="dim">${prose(group.description.split('. ')[0] ?? '')}</span></li>`)}</ul>`,
)}
<h2>For programs</h2>
<p><a href="/openapi.json">OpenAPI 3.1</a>, <a href="/operator/openapi.json">that of operators</a>, <a href="/docs/postman.json">a collection for Postman</a>, <a href="/llms.txt">llms.txt</a>. Each page of these documents is Markdown, too: put <code>.md</code> behind its address.</p>`
  return page({ title: 'Docs', main, path: '/docs', menu })
}

function searchView({ menu }: Site, query: string, found: readonly Found[]): string {
  const main = html`<h1>Search</h1>
${query === '' ? html`<p role="status">Type what you look for.</p>` : resultsView(query, found)}`
  return page({ title: `Search: ${query}`, main, path: '/docs/search', menu, query })
}

const resultsView = (query: string, found: readonly Found[]): Html =>
  html`<p role="status">${found.length === 0 ? 'Nothing' : found.length} found for “${query}”.</p>
${found.map(
  ({ title, kind, href, excerpt }) =>
    html`<div class="found"><p><a href="${href}">${title}</a> ${kind !== title && html`<span class="dim">${kind}</span>`}</p><p>${excerpt}</p></div>`,
)}`
