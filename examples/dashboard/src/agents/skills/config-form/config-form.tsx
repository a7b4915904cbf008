import type { JsonObject } from '@homeward/contract/agent-platform'
// The main entry also loads a validator for the library's own tests, which we do not have.
import Form from '@rjsf/core/lib/components/Form.js'
import type { RJSFSchema } from '@rjsf/utils'
import { useMemo, useState } from 'react'
import { ErrorState } from '../../../components/error-state.tsx'
import { FormBar } from '../../../components/form-bar.tsx'
import { LeaveGuard } from '../../../components/leave-guard.tsx'
import { configTemplates } from './config-templates.tsx'
import { toFormValue } from './config-value.ts'
import { configWidgets } from './config-widgets.tsx'
import { type ConfigValue, schemaValidator } from './schema-validator.ts'

/** What a {@link ConfigForm} takes. */
export interface ConfigFormProps {
  readonly schema: JsonObject
  /** As the server shows it: secrets as booleans. */
  readonly config: JsonObject
  readonly isPending: boolean
  /** Why the server refused it. */
  readonly error: Error | null
  readonly onSave: (config: JsonObject) => void
}

/** The config of a skill as the skill's own schema asks for it. Give it another `key` once it was saved. */
export function ConfigForm({ schema, config, isPending, error, onSave }: ConfigFormProps) {
  const rules = useMemo(() => withoutTitle(schema as RJSFSchema), [schema]) // any object is a schema
  const initial = useMemo(() => toFormValue(rules, config), [rules, config])
  const [value, setValue] = useState<ConfigValue>(initial)
  const [isTouched, setIsTouched] = useState(false)
  // Defaults are worth saving, too.
  const isNew = Object.values(config).every((entry) => entry === false)
  return (
    <Form<ConfigValue>
      schema={rules}
      validator={schemaValidator}
      templates={configTemplates}
      widgets={configWidgets}
      formData={value}
      onChange={({ formData = {} }, id) => {
        setValue(formData)
        // The library fills defaults in by itself at first; that is no change of a person's.
        if (id !== undefined) setIsTouched(true)
      }}
      onSubmit={({ formData = {} }) => onSave(formData as JsonObject)} // values of fields are JSON
      // What is wrong stands in the form; the library would write it to the console.
      onError={() => {}}
      noHtml5Validate
      focusOnFirstError
      showErrorList="top"
      className="stack"
      autoComplete="off"
    >
      {error && <ErrorState error={error} isInline />}
      <FormBar isDirty={isTouched} canSaveAsIs={isNew} isPending={isPending} saveLabel="Save config" />
      <LeaveGuard isDirty={isTouched && !isPending} />
    </Form>
  )
}

/** The page has a title of its own. */
function withoutTitle({ title: _title, ...schema }: RJSFSchema): RJSFSchema {
  return schema
}
