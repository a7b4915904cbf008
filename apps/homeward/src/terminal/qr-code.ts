import { renderUnicodeCompact } from 'uqr'

/** A QR code for a terminal, in half blocks; empty for text that is too long for one. */
export function renderQrCode(text: string): string {
  try {
    return renderUnicodeCompact(text, { border: 2 })
  } catch {
    return ''
  }
}
