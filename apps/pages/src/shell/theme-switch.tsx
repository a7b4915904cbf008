import { Monitor, Moon, Sun } from 'lucide-react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { saveTheme, type Theme, useTheme } from './theme.ts'

const choices = [
  { theme: 'system', label: 'Theme of the system', Icon: Monitor },
  { theme: 'light', label: 'Light theme', Icon: Sun },
  { theme: 'dark', label: 'Dark theme', Icon: Moon },
] as const satisfies readonly { theme: Theme; label: string; Icon: unknown }[]

/** Chooses between light, dark, and what the system says. */
export function ThemeSwitch() {
  const theme = useTheme()
  return (
    <ToggleButtonGroup
      aria-label="Theme"
      className="theme-switch"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[theme]}
      onSelectionChange={([chosen]) => {
        const known = choices.find((choice) => choice.theme === chosen)
        if (known) saveTheme(known.theme)
      }}
    >
      {choices.map(({ theme: id, label, Icon }) => (
        <ToggleButton key={id} id={id} aria-label={label} className="theme-choice">
          <Icon aria-hidden />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
