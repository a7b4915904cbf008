import { Component, type ReactNode, useEffect } from 'react'
import { PartNotLoaded } from './lazy-part.ts'
import { CircleAlert } from 'lucide-react'
import { loadAnewOnceServed } from '../../api/load-anew.ts'
import { Button } from '../buttons/button.tsx'
import { EmptyState } from './empty-state.tsx'

/** What an {@link ErrorBoundary} takes. */
interface ErrorBoundaryProps {
  /** Another one tries it again: the path of the page. */
  readonly resetKey: string
  /** Shown in the place of what failed, by the error if it matters. @default why, and a way to load the page anew */
  readonly fallback?: ReactNode | ((error: Error) => ReactNode)
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly error: Error | undefined
  readonly resetKey: string
}

/** Keeps the rest of the page when a part of it fails to render. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: undefined, resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps(
    { resetKey }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null {
    return resetKey === state.resetKey ? null : { error: undefined, resetKey }
  }

  override render(): ReactNode {
    const { error } = this.state
    const { fallback, children } = this.props
    if (error === undefined) return children
    const shown = typeof fallback === 'function' ? fallback(error) : fallback
    if (shown !== undefined) return shown
    return <UnshownPage error={error} isNotLoaded={error instanceof PartNotLoaded} />
  }
}

/** What an {@link UnshownPage} takes. */
interface UnshownPageProps {
  /** Why it cannot be shown. */
  readonly error: Error
  /** Whether it could not be loaded: then the page is loaded anew by itself as soon as its server gives it. */
  readonly isNotLoaded: boolean
}

/** Stands in the place of a page, or of a part of one, that cannot be shown. */
function UnshownPage({ error, isNotLoaded }: UnshownPageProps) {
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
