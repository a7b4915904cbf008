import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useParams } from 'wouter'
import { PageHeader } from '../components/layout/page-header.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import MarkdownText from '../components/text/markdown-text.tsx'
import { loadGuide, toGuidePage } from './guides.ts'
import './help.css'

const list = { href: '/help', label: 'Help' }

/** The guides, which come with the pages: they fit this version and need no network. */
export function HelpPage() {
  const { '*': name = '' } = useParams<{ '*'?: string }>()
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
            <div className="help">
              <MarkdownText text={found.text} toPage={toPage} />
            </div>
          </>
        )
      }
    </QueryView>
  )
}
