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
import { loadGuide, toGuidePage } from './guides.ts'
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
                <MarkdownText text={found.text} toPage={toPage} />
              </div>
            )}
          </>
        )
      }
    </QueryView>
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
