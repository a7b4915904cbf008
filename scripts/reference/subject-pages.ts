import type { Operation } from '@homeward/contract'
import { code, generatedNote, page, table } from './markdown.ts'
import type { OperationSections } from './operation-sections.ts'

/** One page of an HTTP API: operations and shapes that belong together. */
export interface Subject {
  /** Name of the file, without its ending. */
  readonly file: string
  readonly title: string
  /** The first sentence of the page. */
  readonly about: string
  /** Paths of its operations begin with one of these. The longest match of all subjects wins. */
  readonly paths: readonly string[]
  /** Shapes that it shows. @default none */
  readonly shapes?: readonly string[]
  /** Sections between operations and shapes. @default none */
  readonly sections?: () => readonly string[]
}

/** An HTTP API as an index and a page for each subject. */
interface SubjectPages {
  /** The index, `docs/reference/<index>.md`. */
  readonly index: string
  /** Where the pages stand: `platform` is `docs/reference/platform`. */
  readonly folder: string
  /** Title of the index, and the beginning of the title of each page. */
  readonly title: string
  /** Introduction of the index, above its tables. */
  readonly intro: readonly string[]
  readonly operations: Readonly<Record<string, Operation>>
  readonly subjects: readonly Subject[]
  readonly made: OperationSections
}

/** Returns the subject of an operation. @throws if no subject has its path */
export function subjectOf(subjects: readonly Subject[], { auth, method, path }: Operation): Subject {
  const keys = [`${auth} ${path}`, `${method} ${path}`, path]
  const lengthOf = ({ paths }: Subject) =>
    Math.max(
      -1,
      ...paths.filter((each) => keys.some((key) => key.startsWith(each))).map(({ length }) => length),
    )
  const [best] = subjects.toSorted((a, b) => lengthOf(b) - lengthOf(a))
  if (!best || lengthOf(best) < 0) throw new Error(`Documenting ${path} failed: no subject has its path.`)
  return best
}

/** Makes the index and the pages of an API: text by path from the workspace's top folder. */
export function subjectPages(shown: SubjectPages): Map<string, string> {
  const { index, folder, title, intro, operations, subjects, made } = shown
  const parts = subjects.map((subject) => {
    const ids = Object.keys(operations).filter((id) => subjectOf(subjects, operations[id]!) === subject)
    return { subject, ids, sections: sectionsOf(subject, ids, made) }
  })
  const places = new Map(
    parts.flatMap(({ subject: { file }, sections }) =>
      anchorsOf(sections).map((each) => [each, file] as const),
    ),
  )
  const rows = (ids: readonly string[], file = '') =>
    table(
      ['Operation', 'Request', 'What it does'],
      ids.map((id) => {
        const { method, path, summary } = operations[id]!
        return [
          `[${code(id)}](${file}#${id.toLowerCase()})`,
          code(`${method} ${path}`),
          firstSentence(summary),
        ]
      }),
    )
  const pages = parts.map(({ subject: { file, title: name, about }, ids, sections }) => {
    const head = `[${title}](${index}.md) has the rules that all pages share.`
    const text = page(about, head, rows(ids), ...sections)
    const moved = moveLinks(text, file, places)
    return [`docs/reference/${folder}/${file}.md`, page(generatedNote, `# ${title}: ${name}`, moved)] as const
  })
  const indexPage = page(
    generatedNote,
    `# ${title}`,
    ...intro,
    ...parts.flatMap(({ subject: { file, title: name, about, shapes = [] }, ids }) => [
      `## ${name}`,
      `${about} [All about ${name}](${folder}/${file}.md).`,
      rows(ids, `${folder}/${file}.md`),
      shapes.length === 0
        ? ''
        : `Shapes: ${shapes.map((each) => `[${each}](${folder}/${file}.md#${each.toLowerCase()})`).join(', ')}.`,
    ]),
  )
  return new Map([[`docs/reference/${index}.md`, indexPage], ...pages])
}

function sectionsOf(
  { shapes = [], sections = () => [] }: Subject,
  ids: readonly string[],
  made: OperationSections,
) {
  return [
    ...(ids.length === 0 ? [] : ['## Operations']),
    ...ids.map((id) => made.operations.get(id) ?? ''),
    ...sections(),
    ...(shapes.length === 0 ? [] : ['## Shapes']),
    ...shapes.flatMap((name) => {
      const found = made.shapes.get(name)
      if (!found) throw new Error(`Documenting ${name} failed: there is no such shape.`)
      return found
    }),
  ]
}

const firstSentence = (text: string) => /^[^]*?[.](?=\s|$)/.exec(text)?.[0] ?? text

const withoutCode = (text: string) => text.replaceAll(/^(`{3,})[^]*?^\1$/gm, '')

/** Anchors of headings below the first two levels. */
function anchorsOf(sections: readonly string[]): string[] {
  const headings = withoutCode(sections.join('\n\n')).matchAll(/^##+ (.+)$/gm)
  return [...headings]
    .map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
    .filter((anchor) => anchor !== 'operations' && anchor !== 'shapes')
}

/** Links of a text that was written for `docs/reference`, for a page in a folder below it. */
function moveLinks(text: string, file: string, places: ReadonlyMap<string, string>): string {
  return text
    .split(/(^`{3,}[^]*?^`{3,}$)/m)
    .map((part) => {
      if (part.startsWith('```')) return part
      return part.replaceAll(/\]\(([^)\s]+)\)/g, (link, target: string) => {
        if (/^[a-z]+:/.test(target)) return link
        if (!target.startsWith('#')) return `](../${target})`
        const place = places.get(target.slice(1))
        if (place === undefined) throw new Error(`Linking to ${target} failed: no page of the API has it.`)
        return place === file ? link : `](${place}.md${target})`
      })
    })
    .join('')
}
