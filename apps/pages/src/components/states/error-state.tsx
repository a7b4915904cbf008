import { CircleAlert, RotateCw, WifiOff } from 'lucide-react'
import { ClientError } from '@homeward/contract/client'
import { Button } from '../buttons/button.tsx'
import './state.css'

/** What an {@link ErrorState} takes. */
interface ErrorStateProps {
  readonly error: Error
  /** Tries it again: for what was read. A change is sent again by whoever made it. */
  readonly onRetry?: () => void
  /** Whether the page itself tries it again once the server answers, as it does with what it reads. @default with `onRetry` */
  readonly isTriedAgain?: boolean
  /** One line within a form or a dialog instead of a whole area. @default false */
  readonly isInline?: boolean
}

/** Says what went wrong in the words of the server, and offers to try again. */
export function ErrorState({
  error,
  onRetry,
  isTriedAgain = onRetry !== undefined,
  isInline = false,
}: ErrorStateProps) {
  const isOffline = ClientError.is(error) && error.code === 'UNREACHABLE'
  const { title, text } = describeError(error)
  const code = codeOf(error)
  return (
    <div className="state" role="alert" data-tone="bad" {...(isInline && { 'data-inline': true })}>
      {isOffline ? <WifiOff aria-hidden /> : <CircleAlert aria-hidden />}
      <div className="state-text">
        {isInline ? <strong>{title}</strong> : <h3>{title}</h3>}
        <p className="foreign">
          {isOffline && isTriedAgain ? 'Retrying automatically. Check that the server is running.' : text}{' '}
          {code !== undefined && <code className="small">{code}</code>}
        </p>
      </div>
      {onRetry && (
        <Button icon={<RotateCw aria-hidden />} onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** An error as people read it: the server's own words where it said something. */
export function describeError(error: Error): { readonly title: string; readonly text: string } {
  if (!ClientError.is(error)) return { title: 'Something went wrong', text: error.message }
  if (error.code === 'UNREACHABLE') {
    return {
      title: 'The server does not respond',
      text: 'Check that the server is running, then try again.',
    }
  }
  // It is read once somebody has signed in over the page: how a program sends its token is no help then.
  if (error.status === 401) return { title: 'The access token is invalid', text: 'Sign in, then try again.' }
  if (error.code === 'TIMEOUT') return { title: 'The server took too long', text: error.message }
  const title = error.error ?? 'Something went wrong'
  return { title, text: error.detail ?? error.message }
}

/** What to search for, and to tell whoever helps. */
function codeOf(error: Error): string | undefined {
  if (!ClientError.is(error)) return undefined
  return error.code === 'HTTP' && error.status !== undefined ? `HTTP ${error.status}` : error.code
}
