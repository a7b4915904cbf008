import type { ReactNode } from 'react'

/** The buttons of a dialog, or of a form: the one that does it stands last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>
}
