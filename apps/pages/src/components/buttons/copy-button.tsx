import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { showToast } from '../states/toasts.tsx'

/** What a {@link CopyButton} takes. */
interface CopyButtonProps {
  readonly text: string
  /** What is copied: `Copy key`. @default 'Copy' */
  readonly label?: string
  /** Shows the icon alone. @default false */
  readonly isIconOnly?: boolean
  /** Takes the focus when it comes. @default false */
  readonly autoFocus?: boolean
}

const shownMs = 2000

/** Puts a text into the clipboard. @returns whether the browser allowed that: otherwise the page says so. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Browsers give pages on plain HTTP a clipboard only on this machine's own address.
    showToast({
      tone: 'bad',
      title: 'The browser does not allow copying here. Select the text and copy it.',
    })
    return false
  }
}

/** Puts a text into the clipboard. */
export function CopyButton({ text, label = 'Copy', isIconOnly = false, autoFocus = false }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(setIsCopied, shownMs, false)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy(): Promise<void> {
    if (await copyText(text)) setIsCopied(true)
  }

  const icon = isCopied ? <Check aria-hidden /> : <Copy aria-hidden />
  const shownLabel = isCopied ? 'Copied' : label
  const onPress = () => void copy()
  return isIconOnly ? (
    <IconButton label={shownLabel} icon={icon} onPress={onPress} autoFocus={autoFocus} />
  ) : (
    <Button icon={icon} onPress={onPress} autoFocus={autoFocus}>
      {shownLabel}
    </Button>
  )
}
