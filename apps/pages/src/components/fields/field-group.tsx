import { type ReactNode, useState } from 'react'
import { Disclosure } from '../layout/disclosure.tsx'

/** What a {@link FieldGroup} takes. */
interface FieldGroupProps {
  readonly title: string
  /** Whether anything is set in it: then it begins open. */
  readonly isUsed: boolean
  /** Whether something is wrong in it: then it opens, and stays so once it is mended. */
  readonly hasProblem: boolean
  readonly children: ReactNode
}

/** Fields that most people leave as they are, folded until somebody wants them. */
export function FieldGroup({ title, isUsed, hasProblem, children }: FieldGroupProps) {
  const [isOpen, setIsOpen] = useState(isUsed)
  if (hasProblem && !isOpen) setIsOpen(true)
  return (
    <Disclosure title={title} isExpanded={isOpen} onExpandedChange={setIsOpen}>
      {children}
    </Disclosure>
  )
}
