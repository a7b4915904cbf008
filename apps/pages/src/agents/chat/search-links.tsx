import { Search } from 'lucide-react'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { hrefOfSearch, searchIn } from '../runs/trace/search-of.ts'
import type { TurnPart } from './turn.ts'

/** The searches on devices that an answer rests on: there are their files, to open and to download. */
export function SearchLinks({ parts }: { readonly parts: readonly TurnPart[] }) {
  const found = parts.map((part) => (part.kind === 'tool' ? searchIn(part.result, part.args) : undefined))
  const ids = [...new Set(found)].filter((id) => id !== undefined)
  if (ids.length === 0) return null
  return (
    <div className="row" role="group" aria-label="Searches of this answer">
      {ids.map((id) => (
        <LinkButton key={id} href={hrefOfSearch(id)} icon={<Search aria-hidden />}>
          Search and its files
        </LinkButton>
      ))}
    </div>
  )
}
