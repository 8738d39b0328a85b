/** Icons as inline SVG: they take the colour of the text and need no request. */

const PATHS = {
  web: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c2.5 2.6 3.7 5.6 3.7 9s-1.2 6.4-3.7 9c-2.5-2.6-3.7-5.6-3.7-9s1.2-6.4 3.7-9Z",
  mail: "M5 5.5h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2ZM3.5 7.5 12 13.5l8.5-6",
  phone:
    "M8 3.5H5.5a2 2 0 0 0-2 2.2 16.5 16.5 0 0 0 14.8 14.8 2 2 0 0 0 2.2-2V16l-4.6-2-2 2a13 13 0 0 1-5.9-5.9l2-2Z",
  message:
    "M12 4c5 0 9 3.4 9 7.6s-4 7.6-9 7.6c-1.1 0-2.2-.2-3.2-.5L4 20.5l1.5-4A7 7 0 0 1 3 11.6C3 7.4 7 4 12 4Z",
  contact: "M9.5 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2.5 20c0-3.3 3-5 7-5s7 1.7 7 5M19 8v6M16 11h6",
  onward: "m9.5 6 6 6-6 6",
  outward: "M8 16 17 7M9.5 7H17v7.5",
  down: "m6.5 9.5 5.5 5.5 5.5-5.5",
  rise: "M12 19V5.5M6 11l6-6 6 6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  save: "M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14",
} as const;

/** Hidden from screen readers, which read the text beside it. */
export function Icon(props: { name: keyof typeof PATHS; class?: string }) {
  return (
    <svg class={`icon ${props.class ?? ""}`.trim()} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[props.name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M6.5 5h11A1.5 1.5 0 0 1 19 6.5v11a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 17.5v-11A1.5 1.5 0 0 1 6.5 5Z" />
      <path d="m13.06 2.5 8.44 8.44a1.5 1.5 0 0 1 0 2.12l-8.44 8.44a1.5 1.5 0 0 1-2.12 0L2.5 13.06a1.5 1.5 0 0 1 0-2.12l8.44-8.44a1.5 1.5 0 0 1 2.12 0Z" />
    </svg>
  );
}
