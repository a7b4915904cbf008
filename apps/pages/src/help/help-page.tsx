import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Link } from 'react-aria-components'
import { useParams } from 'wouter'
import { PageHeader } from '../components/layout/page-header.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import MarkdownText from '../components/text/markdown-text.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { findGuides } from './find-guides.ts'
import { loadGuide, toGuideImage, toGuidePage } from './guides.ts'
import './help.css'

const list = { href: '/help', label: 'Help' }

/** The guides, which come with the pages: they fit this version and need no network. */
export function HelpPage() {
  const { '*': name = '' } = useParams<{ '*'?: string }>()
  const [text, setText] = useState('')
  const guide = useQuery({
    queryKey: ['guide', name],
    queryFn: async () => (await loadGuide(name)) ?? null,
    staleTime: Infinity,
  })
  const toPage = useCallback((href: string) => toGuidePage(name, href), [name])
  const toImage = useCallback((src: string) => toGuideImage(name, src), [name])
  return (
    <QueryView query={guide} loadingLabel="Opening the guide …">
      {(found) =>
        found === null ? (
          <>
            <PageHeader title="Help" back={list} />
            <MissingState kind="guide" id={name} list={list} />
          </>
        ) : (
          <>
            <PageHeader title={name === '' ? 'Help' : found.title} {...(name !== '' && { back: list })} />
            {name === '' && (
              <SearchField
                label="Search the guides"
                isLabelHidden
                placeholder="Search the guides"
                value={text}
                onChange={setText}
              />
            )}
            {name === '' && text.trim() !== '' ? (
              <FoundGuides text={text} />
            ) : (
              <div className="help">
                {name === '' && <UseThePages />}
                <MarkdownText text={found.text} toPage={toPage} toImage={toImage} />
              </div>
            )}
          </>
        )
      }
    </QueryView>
  )
}

/** Tasks that people do on the pages: the page of each, its label, and the place on the page. */
const uses: readonly (readonly [href: string, label: string, text: string])[] = [
  [
    '/searches/new',
    'Find a file',
    'Type words of its name, or search the text in files. Press a result to see it.',
  ],
  ['/add', 'Add a device', 'Run one command on the device, then enter its code here.'],
  ['/chat', 'Ask an agent', 'Write what you need. The agent asks before it does what you must allow.'],
  ['/waiting', 'Approve or deny', 'Decide about calls and questions that wait for you.'],
  ['/usage', 'See the cost', 'Cost and tokens by day, agent, model or user.'],
  ['/runs', 'See what an agent did', 'Open a run to see its answer, its steps and why it failed.'],
  ['/schedules', 'Do a task every day', 'Give an agent a task and a time.'],
  ['/channels', 'Chat by Telegram or Slack', 'Connect a messenger, and let people in.'],
]

/** The first block: for the person who uses the pages. */
function UseThePages() {
  return (
    <section className="help-use" aria-labelledby="help-use">
      <h2 id="help-use">Use the pages</h2>
      <ul>
        {uses.map(([href, label, text]) => (
          <li key={href}>
            <Link href={href}>{label}</Link>
            <p className="muted small">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The guides that have the words. */
function FoundGuides({ text }: { readonly text: string }) {
  const words = useDebounced(text.trim())
  const found = useQuery({
    queryKey: ['find guides', words],
    queryFn: () => findGuides(words),
    staleTime: Infinity,
  })
  return (
    <QueryView
      query={found}
      loadingLabel="Searching the guides …"
      isEmpty={(guides) => guides.length === 0}
      empty={<EmptyState title="No guide has these words">Use fewer or other words.</EmptyState>}
    >
      {(guides) => (
        <ul className="help-found">
          {guides.map(({ name, title, excerpt }) => (
            <li key={name}>
              <Link href={`/help/${name}`}>{title}</Link>
              <p className="muted small">{excerpt}</p>
            </li>
          ))}
        </ul>
      )}
    </QueryView>
  )
}
