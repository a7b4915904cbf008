import { CircleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { loadAnewOnceServed } from '../../api/load-anew.ts'
import { Button } from '../buttons/button.tsx'
import { EmptyState } from './empty-state.tsx'

/** What an {@link UnshownPage} takes. */
export interface UnshownPageProps {
  /** Why it cannot be shown. */
  readonly error: Error
  /** Whether it could not be loaded: then the page is loaded anew by itself as soon as its server gives it. */
  readonly isNotLoaded: boolean
}

/** Stands in the place of a page, or of a part of one, that cannot be shown. */
export function UnshownPage({ error, isNotLoaded }: UnshownPageProps) {
  useEffect(() => (isNotLoaded ? loadAnewOnceServed() : undefined), [isNotLoaded])
  return (
    <EmptyState
      icon={<CircleAlert aria-hidden />}
      title="This page cannot be shown"
      action={<Button onPress={() => location.reload()}>Reload the page</Button>}
    >
      {error.message}
    </EmptyState>
  )
}
