import { expect, it } from 'vitest'
import { decodeCodePage } from './code-page.ts'
import { parseDesktopEntry } from './list-linux-apps.ts'
import { toProgram } from './linux-program.ts'
import { parseProcessPaths, parseSystemProfile } from './create-app-list.ts'
import { parseTaskList, parseUninstallKeys } from './list-windows-apps.ts'

const firefox = `# comment
[Desktop Entry]
Version=1.0
Name=Firefox Web Browser
Name[de]=Firefox-Webbrowser
Name[ar]=متصفح الويب فَيَرفُكْس
GenericName=Web Browser
Exec=env BAMF_DESKTOP_FILE_HINT=/var/lib/snapd/desktop/applications/firefox.desktop /snap/bin/firefox %u
Terminal=false
Type=Application

[Desktop Action new-window]
Name=Open a New Window
Exec=/snap/bin/firefox -new-window
`

it('reads a desktop entry with its names, without its actions', () => {
  const entry = parseDesktopEntry(firefox)
  expect(entry).toMatchObject({ name: 'Firefox Web Browser', hidden: false })
  expect(entry?.otherNames).toEqual(['Firefox-Webbrowser', 'متصفح الويب فَيَرفُكْس'])
  expect(toProgram(entry?.command ?? [])).toMatchObject({ file: '/snap/bin/firefox', indirect: false })
})

it('takes links and nameless entries for no applications, and knows hidden ones', () => {
  expect(parseDesktopEntry('[Desktop Entry]\nType=Link\nName=x')).toBeUndefined()
  expect(parseDesktopEntry('[Desktop Entry]\nType=Application')).toBeUndefined()
  expect(parseDesktopEntry('\0\uFFFD no entry')).toBeUndefined()
  expect(parseDesktopEntry('[Desktop Entry]\r\nHidden=true\r\n')).toMatchObject({ hidden: true })
  expect(parseDesktopEntry('[Desktop Entry]\nType=Application\nName=x\nNoDisplay=true')?.hidden).toBe(true)
})

it('splits quoted commands and looks through sandboxes and interpreters', () => {
  const exec = String.raw`Exec="/opt/My App/run \\"it\\"" --x "a b" 100%% %F`
  const entry = parseDesktopEntry(`[Desktop Entry]\nType=Application\nName=x\n${exec}`)
  expect(entry?.command).toEqual(['/opt/My App/run "it"', '--x', 'a b', '100%'])
  const flatpak =
    '/usr/bin/flatpak run --branch=stable --arch=x86_64 --command=gimp-2.10 org.gimp.GIMP @@u %U @@'
  expect(toProgram(flatpak.split(' '))).toMatchObject({ file: 'gimp-2.10', indirect: true })
  expect(toProgram(['/usr/bin/python3.12', '-s', '/usr/bin/terminator'])?.file).toBe('/usr/bin/terminator')
  expect(toProgram(['env', 'A=b'])).toBeUndefined()
})

const macProfile = `{
  "SPApplicationsDataType" : [
    {
      "_name" : "App Store",
      "arch_kind" : "arch_arm_i64",
      "lastModified" : "2026-08-13T02:51:55Z",
      "obtained_from" : "apple",
      "path" : "/System/Applications/App Store.app",
      "signed_by" : [ "Software Signing", "Apple Root CA" ],
      "version" : "3.0"
    },
    {
      "_name" : "Visual Studio Code",
      "obtained_from" : "identified_developer",
      "path" : "/Applications/Visual Studio Code.app"
    },
    { "_name" : "备忘录", "path" : "/System/Applications/Notes.app" },
    { "_name" : "", "path" : "/x.app" },
    { "version" : "1.0" }
  ]
}`

it('reads what system_profiler and ps print on macOS', () => {
  const processes = parseProcessPaths(`/sbin/launchd
/System/Applications/Notes.app/Contents/MacOS/Notes
/Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper.app/Contents/MacOS/Code Helper
-zsh
(mdworker)
`)
  expect(parseSystemProfile(macProfile, processes)).toEqual([
    { name: 'App Store', path: '/System/Applications/App Store.app', running: false },
    { name: 'Visual Studio Code', path: '/Applications/Visual Studio Code.app', running: true },
    { name: '备忘录', path: '/System/Applications/Notes.app', running: true },
  ])
  expect(() => parseSystemProfile('{}', [])).toThrow(Error)
})

const registry = String.raw`
HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\7-Zip
    DisplayName    REG_SZ    7-Zip 24.08 (x64)
    DisplayIcon    REG_SZ    C:\Program Files\7-Zip\7zFM.exe
    InstallLocation    REG_SZ    C:\Program Files\7-Zip\
    EstimatedSize    REG_DWORD    0x15f4

HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\Mozilla Firefox 132.0 (x64 de)
    (Standard)    REG_SZ    
    DisplayIcon    REG_SZ    "C:\Program Files\Mozilla Firefox\firefox.exe",0
    DisplayName    REG_SZ    Mozilla Firefox (x64 de)
    InstallLocation    REG_SZ    
    Comments    REG_SZ

HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\{90160000-008C-0000-1000-0000000FF1CE}
    DisplayName    REG_SZ    Office 16 Click-to-Run Extensibility Component
    SystemComponent    REG_DWORD    0x1
    UninstallString    REG_EXPAND_SZ    MsiExec.exe /X{90160000-008C-0000-1000-0000000FF1CE}

HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\KB5001
    ParentKeyName    REG_SZ    Office
    DisplayName    REG_SZ    Update for Office

HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\AddressBook

Suchvorgang abgeschlossen
`.replaceAll('\n', '\r\n')

const tasks = `"Abbildname","PID","Sitzungsname","Sitz.-Nr.","Speichernutzung"
"System Idle Process","0","Services","0","8 K"
"Firefox.exe","7312","Console","1","612.345 K"
"svchost.exe","804","Services","0","25 600 Ko"
INFORMATION: Es werden keine Aufgaben mit den angegebenen Kriterien ausgeführt.
`.replaceAll('\n', '\r\n')

it('reads what reg and tasklist print on Windows, in any language', () => {
  const images = parseTaskList(tasks)
  expect([...images]).toEqual(['system idle process', 'firefox.exe', 'svchost.exe'])
  expect(parseUninstallKeys(registry + registry, images)).toEqual([
    { name: '7-Zip 24.08 (x64)', path: 'C:\\Program Files\\7-Zip\\', running: false },
    {
      name: 'Mozilla Firefox (x64 de)',
      path: 'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
      running: true,
    },
  ])
})

it.each<[string, string, string, string]>([
  [
    'Discord',
    String.raw`C:\Users\u\AppData\Local\Discord\app.ico`,
    String.raw`C:\Users\u\AppData\Local\Discord`,
    'discord.exe',
  ],
  ['slack', String.raw`C:\Users\u\AppData\Local\slack\app.ico`, '', 'slack.exe'],
  ['{0A-1B}', '', String.raw`"C:\Tools\Editor\"`, 'editor.exe'],
  ['{0A-1B}', String.raw`C:\x\unins000.exe,0`, String.raw`C:\Games\Quake`, 'quake.exe'],
])('finds that %s runs, whatever its icon is', (key, icon, location, image) => {
  const text = [
    String.raw`HKEY_CURRENT_USER\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall` + `\\${key}`,
    '    DisplayName    REG_SZ    The App',
    `    DisplayIcon    REG_SZ    ${icon}`,
    `    InstallLocation    REG_SZ    ${location}`,
  ].join('\r\n')
  expect(parseUninstallKeys(text, new Set([image]))[0]?.running).toBe(true)
  expect(parseUninstallKeys(text, new Set(['other.exe', '.exe', '..exe']))[0]?.running).toBe(false)
})

it('expands the variables of values that hold some', () => {
  const text = [
    String.raw`HKEY_LOCAL_MACHINE\X\A`,
    '    DisplayName    REG_SZ    100% %ProgramFiles%',
    String.raw`    InstallLocation    REG_EXPAND_SZ    %programfiles%\A %unknown%`,
  ].join('\r\n')
  expect(parseUninstallKeys(text, new Set(), { ProgramFiles: 'D:\\Programs' })).toEqual([
    { name: '100% %ProgramFiles%', path: 'D:\\Programs\\A %unknown%', running: false },
  ])
})

it.each([
  ['/Applications/Game.app', '/Applications/Game.app/Wrapper/Game-iOS.app/Game-iOS'],
  [
    '/Users/u/Downloads/My Tool.app',
    '/private/var/folders/x1/y/T/AppTranslocation/0A-1B/d/My Tool.app/Contents/MacOS/Tool',
  ],
  ['/Applications/Café.app', '/Applications/Cafe\u0301.app/Contents/MacOS/Cafe\u0301'],
  ['/Applications/A.app', '/System/Volumes/Data/Applications/A.app/Contents/MacOS/A'],
  [
    '/System/Volumes/Preboot/Cryptexes/App/System/Applications/Safari.app',
    '/System/Cryptexes/App/System/Applications/Safari.app/Contents/MacOS/Safari',
  ],
])('finds that %s runs as %s', (path, process) => {
  const profile = JSON.stringify({
    SPApplicationsDataType: [
      { _name: 'It', path },
      { _name: 'Other', path: '/Applications/Other.app' },
    ],
  })
  expect(parseSystemProfile(profile, [process]).map(({ running }) => running)).toEqual([true, false])
})

it.each([
  [850, [0x43, 0x61, 0x66, 0x82, 0x20, 0x9a], 'Café Ü'],
  [437, [0x81, 0xe1], 'üß'],
  [852, [0x9f, 0xa9], 'čę'],
  [737, [0x80, 0xaa], 'Ας'],
  [866, [0x80, 0xa0], 'Аа'],
  [932, [0x93, 0xfa, 0x96, 0x7b], '日本'],
  [936, [0xd6, 0xd0], '中'],
  [1252, [0x80, 0xfc], '€ü'],
  [65001, [0xc3, 0xbc], 'ü'],
  [850, [0xc3, 0xbc], 'ü'],
  [Number.NaN, [0xc3, 0xbc], 'ü'],
])('decodes code page %s', (codePage, bytes, text) => {
  expect(decodeCodePage(Uint8Array.from(bytes), codePage)).toBe(text)
})
