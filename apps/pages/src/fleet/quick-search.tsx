import type { CallInput } from '@homeward/contract/client'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useCloudMutation } from '../api/cloud.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { hrefOfGroup } from '../searches/search-draft.ts'
import './quick-search.css'

type Body = CallInput<DeviceCloudOperations['createSearches']>['body']

interface QuickSearchProps {
  /** What is searched, in words: `all 503 devices`. */
  readonly where: string
  /** Which devices are searched. */
  readonly target: Pick<Body, 'deviceIds' | 'filter'>
  /** Leads to a search with more choices, for what is written. */
  readonly hrefOfMore: (query: string) => string
}

/** One field that searches the files of devices at once. */
export function QuickSearch({ where, target, hrefOfMore }: QuickSearchProps) {
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createSearches', {
    invalidates: ['listSearches', 'listSearchGroups'],
    onSuccess: ({ groupId }) => navigate(hrefOfGroup(groupId)),
  })

  function submit(): void {
    if (query.trim() === '') return
    const body = { query: query.trim(), scope: ['files'], ...target }
    create.mutate({ body, headers: idempotency.headersFor(body) })
  }

  return (
    <SubmitForm onSubmit={submit} error={create.error}>
      <div className="quick-search">
        <SearchField
          label="Search files"
          isLabelHidden
          placeholder={`Search files on ${where}`}
          value={query}
          onChange={setQuery}
        />
        <Button type="submit" icon={<Search aria-hidden />} isPending={create.isPending}>
          Search files
        </Button>
        <Link href={hrefOfMore(query.trim())}>More options</Link>
      </div>
      {create.error && <ErrorState error={create.error} isInline />}
    </SubmitForm>
  )
}
