import { LinkButton } from '../buttons/link-button.tsx'
import { EmptyState } from './empty-state.tsx'

/** What a {@link MissingState} takes. */
interface MissingStateProps {
  /** What it would be, in a word. */
  readonly kind: string
  /** What the address names. */
  readonly id: string
  /** Where those are that there are. */
  readonly list: { readonly href: string; readonly label: string }
}

/** Says that there is nothing of what an address names: reading it again would not help. */
export function MissingState({ kind, id, list }: MissingStateProps) {
  return (
    <EmptyState
      title={`${kind.charAt(0).toUpperCase()}${kind.slice(1)} not found`}
      action={<LinkButton href={list.href}>{`All ${list.label.toLowerCase()}`}</LinkButton>}
    >
      No {kind} has the id <code className="foreign">{id}</code>. The {kind} may have been deleted.
    </EmptyState>
  )
}
