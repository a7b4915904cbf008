import { useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextField } from '../../components/fields/text-field.tsx'

interface CodeFormProps {
  /** Why the last code did not work. */
  readonly problem?: string | undefined
  readonly initialCode?: string
  readonly onCode: (code: string) => void
}

/** Asks for the code that a device shows. */
export function CodeForm({ problem, initialCode = '', onCode }: CodeFormProps) {
  const [code, setCode] = useState(initialCode)
  const [isEmpty, setIsEmpty] = useState(false)

  function submit(): void {
    setIsEmpty(code.trim() === '')
    if (code.trim() !== '') onCode(code.trim().toUpperCase())
  }

  return (
    <SubmitForm onSubmit={submit} error={problem ?? isEmpty}>
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoFocus
        isRequired
        description="The device shows the code while it waits. Case and dash do not matter."
        errorMessage={isEmpty ? 'Enter the code that the device shows.' : problem}
      />
      <div>
        <Button type="submit" variant="primary">
          Find device
        </Button>
      </div>
    </SubmitForm>
  )
}
