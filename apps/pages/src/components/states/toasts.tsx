import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import {
  Button,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import './toasts.css'

/** A short message. */
interface ToastMessage {
  readonly title: string
  readonly text?: string
  /** @default 'good' */
  readonly tone?: 'good' | 'bad' | 'info'
}

const shownMs = 6000
/** Who cannot read that fast sees the newest. */
const maxVisible = 4

const queue = new ToastQueue<ToastMessage>({ maxVisibleToasts: maxVisible })

/** Says briefly what happened. Failures stay until they are closed. */
export function showToast(message: ToastMessage): void {
  queue.add(message, message.tone === 'bad' ? {} : { timeout: shownMs })
}

const icons = { good: CircleCheck, bad: CircleAlert, info: Info }

/** Where toasts show. The shell has one. */
export function Toasts() {
  return (
    <ToastRegion queue={queue} className="toasts">
      {({ toast }) => {
        const { tone = 'good', title, text } = toast.content
        const Icon = icons[tone]
        return (
          <Toast toast={toast} className="toast" data-tone={tone}>
            <Icon aria-hidden />
            <ToastContent className="toast-content">
              <Text slot="title">{title}</Text>
              {text !== undefined && (
                <Text slot="description" className="muted">
                  {text}
                </Text>
              )}
            </ToastContent>
            <Button slot="close" className="toast-close" aria-label="Close">
              <X aria-hidden />
            </Button>
          </Toast>
        )
      }}
    </ToastRegion>
  )
}
