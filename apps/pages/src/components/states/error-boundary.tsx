import { Component, type ReactNode } from 'react'
import { PartNotLoaded } from './lazy-part.ts'
import { UnshownPage } from './unshown-page.tsx'

/** What an {@link ErrorBoundary} takes. */
export interface ErrorBoundaryProps {
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
