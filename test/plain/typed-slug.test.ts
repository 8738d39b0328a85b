import { expect, test } from "vitest";
import { handleMeant, slugMeant } from "../../src/pages/document/typed-slug.ts";

test.for([
  ["@salma.attar", "salma.attar"],
  ["  @@salma ", "salma"],
  ["https://www.instagram.com/salma.attar/?igsh=1", "salma.attar"],
  ["instagram.com/salma.attar", "salma.attar"],
  ["www.tiktok.com/@salma?_t=1#top", "salma"],
  ["https://www.youtube.com/channel/UC12", "UC12"],
  ["https://www.linkedin.com/in/mara-q/", "mara-q"],
  ["https://linktr.ee/mara", "mara"],
  ["http://localhost.example:8787/%D9%84%D9%8A%D8%A7%D9%86", "ليان"],
  ["https://mara.example", "mara"],
  ["https://x.example/%E0%A4%A", "%E0%A4%A"],
] as const)("a handle or a profile's address means its handle: %s", ([typed, handle]) => {
  expect([handleMeant(typed), slugMeant(typed)]).toEqual([handle, handle]);
});

test.for([
  ["salma.attar", "salma.attar"],
  ["سلمى  العطار", "سلمى-العطار"],
  ["A / B", "A-/-B"],
  ["", ""],
] as const)("words mean themselves, with dashes: %s", ([typed, slug]) => {
  expect([handleMeant(typed), slugMeant(typed)]).toEqual([null, slug]);
});
