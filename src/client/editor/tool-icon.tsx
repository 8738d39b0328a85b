/** Line icons of the editor's tools, on a square of 24. */
const PATHS = {
  close: "m6 6 12 12M18 6 6 18",
  grip: "M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01",
  up: "M12 19V5.5M6 11l6-6 6 6",
  down: "M12 5v13.5M6 13l6 6 6-6",
  top: "M5 4.5h14M12 20V8.5M6.5 13.5l5.5-5 5.5 5",
  end: "M5 19.5h14M12 4v11.5M6.5 10.5l5.5 5 5.5-5",
  trash: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 11v5M14 11v5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  turn: "M19.500 12a7.500 7.500 0 1 1-2.200-5.300L19.500 9M19.500 4v5h-5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z",
  clock: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 7.5V12l3 2",
  star: "m12 3.5 2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8Z",
  picture:
    "M5 4.5h14a1.5 1.5 0 0 1 1.5 1.5v12a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 18V6A1.5 1.5 0 0 1 5 4.5ZM4 17l5-5 4 4 3-3 4 4M15.5 8.5v.01",
  undo: "M8.5 5 4 9.5 8.5 14M4.5 9.5H14a5 5 0 0 1 0 10h-3",
  redo: "M15.5 5 20 9.5 15.5 14M19.5 9.5H10a5 5 0 0 0 0 10h3",
  links:
    "M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7L12 17.7",
  look: "M12 3.5a8.5 8.5 0 0 0 0 17c1.5 0 2-1 1.6-2.2-.5-1.5.4-2.8 2-2.8h2.4a2.5 2.5 0 0 0 2.5-2.5c0-5.2-3.8-9.5-8.5-9.5ZM8 12v.01M10 8v.01M15 8.5v.01",
  profile: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4.5 20c.6-4 3.6-6 7.5-6s6.9 2 7.5 6",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h16",
  history: "M4 12a8 8 0 1 1 2.4 5.7M4 18v-4h4M12 8v4.5l3 1.5",
  share: "M12 15V4M7.5 8 12 3.5 16.5 8M5 12v7.5h14V12",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  alert: "M12 4 2.5 20h19ZM12 10v4.5M12 17.2v.01",
  done: "m5 12.5 4.5 4.5L19 7.5",
  print: "M7 8.500V4h10v4.500M7 16.500H4.500v-8h15v8H17M7 13.500h10V20H7Z",
  spark: "m11 4 1.8 5.2L18 11l-5.2 1.8L11 18l-1.8-5.2L4 11l5.2-1.8ZM18.5 16v4M16.5 18h4",
  more: "M6 12v.01M12 12v.01M18 12v.01",
} as const;

export type ToolIconName = keyof typeof PATHS;

/** Hidden from screen readers, which read the label of its button. */
export function ToolIcon(props: { name: ToolIconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[props.name]} />
    </svg>
  );
}
