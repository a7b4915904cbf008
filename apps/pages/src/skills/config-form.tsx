import type { JsonObject } from '@homeward/contract/agent-platform'
// The main entry also loads a validator for the library's own tests, which we do not have.
import Form from '@rjsf/core/lib/components/Form.js'
import { type ErrorSchema, ErrorSchemaBuilder, type RJSFSchema } from '@rjsf/utils'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ErrorState } from '../components/states/error-state.tsx'
import { focusFirstProblem } from '../components/fields/submit-form.tsx'
import { FormBar } from '../components/fields/form-bar.tsx'
import { LeaveGuard } from '../components/dialogs/leave-guard.tsx'
import { changedBySomebodyElse, changedElsewhere } from '../components/fields/use-clashes.ts'
import { useClashes } from '../components/fields/use-clashes.ts'
import { formTemplates } from '../components/schema-form/templates.tsx'
import { changedNames, clashingPaths, rebaseConfig, toFormValue, withTheirChanges } from './config-value.ts'
import { formWidgets } from '../components/schema-form/widgets.tsx'
import { type FormValue, schemaValidator } from '../components/schema-form/schema-validator.ts'

/** What a {@link ConfigForm} takes. */
export interface ConfigFormProps {
  readonly schema: JsonObject
  /** As the server shows it: secrets as booleans. */
  readonly config: JsonObject
  /** How often it was saved: with each of them, `config` is what the server has then. */
  readonly round: number
  readonly isPending: boolean
  /** Why the server refused it. */
  readonly error: Error | null
  /**
   * Takes what is to be saved, given what the server has by now. Undefined where somebody else has changed the same since
   * the form was begun: that stands at its fields, and the next time it is replaced.
   */
  readonly onSave: (toSave: (now: JsonObject) => JsonObject | undefined) => void
}

/** The config of a skill as the skill's own schema asks for it. */
export function ConfigForm({ schema, config, round, isPending, error, onSave }: ConfigFormProps) {
  const rules = useMemo(() => withoutTitle(schema as RJSFSchema), [schema]) // any object is a schema
  const initial = useMemo(() => toFormValue(rules, config), [rules, config])
  const [value, setValue] = useState<FormValue>(initial)
  const [shown, setShown] = useState(initial)
  const [isTouched, setIsTouched] = useState(false)
  const [sent, setSent] = useState(initial)
  const [shownRound, setShownRound] = useState(round)
  const clashes = useClashes<FormValue, readonly string[]>(initial)
  const notes = useMemo(() => toNotes(clashes.told), [clashes.told])
  const form = useRef<Form<FormValue>>(null)
  const focusProblem = () => {
    const element: unknown = form.current?.formElement.current
    if (element instanceof HTMLFormElement) focusFirstProblem(element)
  }
  useEffect(() => {
    if (notes) focusProblem()
  }, [notes])
  if (round !== shownRound) {
    setShownRound(round)
    setValue(rebaseConfig(value, sent, initial))
    setShown(initial)
    setIsTouched(changedNames(value, sent).length > 0)
    clashes.settle(initial)
  }
  // Defaults are worth saving, too.
  const isNew = Object.values(config).every((entry) => entry === false)
  return (
    <Form<FormValue>
      ref={form}
      schema={rules}
      validator={schemaValidator}
      templates={formTemplates}
      widgets={formWidgets}
      formData={value}
      onChange={({ formData = {} }, id) => {
        setValue(formData)
        // The library fills defaults in by itself at first; that is no change of a person's.
        if (id !== undefined) setIsTouched(true)
        else if (!isTouched) setShown(formData)
      }}
      onSubmit={({ formData = {} }) => {
        setSent(formData)
        const begun = { read: initial, shown }
        onSave((config) => {
          const now = toFormValue(rules, config)
          const find = (known: FormValue) => clashingPaths(formData, shown, known, now)
          if (!clashes.mayReplace(now, find)) return undefined
          return withTheirChanges(formData, begun, now) as JsonObject // values of fields are JSON
        })
      }}
      formContext={{ round }}
      {...(notes && { extraErrors: notes })}
      // The library looks for fields by ids of its own, and without this writes what is wrong to the console.
      onError={focusProblem}
      noHtml5Validate
      showErrorList="top"
      className="stack"
      autoComplete="off"
    >
      {error && <ErrorState error={error} isInline />}
      <FormBar isDirty={isTouched} canSaveAsIs={isNew} isPending={isPending} saveLabel="Save config">
        {notes && <span className="field-error">{changedBySomebodyElse}</span>}
      </FormBar>
      <LeaveGuard isDirty={isTouched} />
    </Form>
  )
}

/** What to say at the fields of which people were told; undefined where there are none. */
function toNotes(paths: readonly (readonly string[])[]): ErrorSchema<FormValue> | undefined {
  if (paths.length === 0) return undefined
  const builder = new ErrorSchemaBuilder<FormValue>()
  for (const path of paths) builder.addErrors(changedElsewhere, [...path])
  return builder.ErrorSchema
}

/** The page has a title of its own. */
function withoutTitle({ title: _title, ...schema }: RJSFSchema): RJSFSchema {
  return schema
}
