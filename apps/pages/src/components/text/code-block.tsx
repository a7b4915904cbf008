import { CopyButton } from '../buttons/copy-button.tsx'
import './code-block.css'

/** What a {@link CodeBlock} takes. */
interface CodeBlockProps {
  readonly code: string
  /** What it is, for screen readers. */
  readonly label: string
  /** What the button copies, where `code` is only its begin. @default code */
  readonly copied?: string
  /** @default true */
  readonly canCopy?: boolean
  /** Breaks long lines instead of scrolling. @default false */
  readonly isWrapped?: boolean
}

/** Text as it stands: a command, JSON, a file. */
export function CodeBlock({ code, copied = code, label, canCopy = true, isWrapped = false }: CodeBlockProps) {
  return (
    <div className="code-block">
      {/* Focusable, so that a keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        dir="ltr"
        {...(isWrapped && { 'data-wrapped': true })}
      >
        <code>{code}</code>
      </pre>
      {canCopy && (
        <div className="code-block-copy">
          <CopyButton text={copied} label={`Copy ${label}`} isIconOnly />
        </div>
      )}
    </div>
  )
}
