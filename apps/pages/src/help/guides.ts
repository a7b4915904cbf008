/** The documents of docs/ that come with the pages, each loaded when it is opened, by the path of its file. */
const files = import.meta.glob<string>(
  [
    '../../../../docs/README.md',
    '../../../../docs/{getting-started,guides,channels}/*.md',
    '../../../../docs/reference/{errors,skills,events}.md',
  ],
  { query: '?raw', import: 'default' },
)

/** Drawings of the guides. Pictures of these pages are left out: they would show what is one press away. */
const drawings = import.meta.glob<string>('../../../../docs/guides/images/*.svg', {
  query: '?url',
  import: 'default',
  eager: true,
})

const base = '../../../../docs/'

/** A guide as a page shows it. */
interface Guide {
  readonly title: string
  /** Markdown without the title. */
  readonly text: string
}

/** Loads a guide by its name, such as `guides/graphs`; empty is the list of all. Undefined for an unknown name. */
export async function loadGuide(name: string): Promise<Guide | undefined> {
  const load = files[toFile(name)]
  return load && splitTitle(await load())
}

/** Loads all guides but the list of them, with their names. */
export async function loadGuides(): Promise<readonly (Guide & { readonly name: string })[]> {
  const names = Object.keys(files).map((path) => path.slice(base.length, -'.md'.length))
  const loaded = names
    .filter((name) => name !== 'README')
    .map(async (name) => {
      const guide = await loadGuide(name)
      return guide ? [{ name, ...guide }] : []
    })
  return (await Promise.all(loaded)).flat()
}

const toFile = (name: string) => `${base}${name === '' ? 'README' : name}.md`

/** The page of the guide that a link in another guide leads to; undefined where it leads out of the guides. */
export function toGuidePage(from: string, href: string): string | undefined {
  if (/^[a-z]+:/i.test(href) || href.startsWith('#')) return undefined
  const { pathname } = new URL(href, `http://docs/${from}`)
  const name = pathname.replace(/^\//, '').replace(/\.md$/, '')
  if (name === 'README' || name === '') return '/help'
  return Object.hasOwn(files, toFile(name)) ? `/help/${name}` : undefined
}

/** The address of a drawing in a guide; undefined for other images. */
export function toGuideImage(from: string, src: string): string | undefined {
  const { pathname } = new URL(src, `http://docs/${from}`)
  return drawings[`${base}${pathname.slice(1)}`]
}

/** The first heading is the title of the page. A comment before it says that a program has written the page. */
export function splitTitle(text: string): Guide {
  const [, title = 'Help', rest = text] = /^(?:<!--.*-->\n+)?# (.+)\n([^]*)$/.exec(text) ?? []
  return { title, text: rest.trimStart() }
}
