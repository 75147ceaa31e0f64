import { neededReferences } from '../../../../nodes/shared/change/neededReferences.ts';

describe('the references that must return something', () => {
	test.each<[string, string[]]>([
		['$json.id', ['$json.id']],
		['"order:" + $json.id', ['$json.id']],
		['$json.customer.concat($json["lead id"])', ['$json.customer', '$json["lead id"]']],
		['`${$json.order}-${$json.lead.id}`', ['$json.order', '$json.lead.id']],
		["$('Other').item.json.id + $input.first().json.a", ["$('Other').item.json.id", '$input.first().json.a']],
		['$fromAI("order") + $now', ['$fromAI("order")']],
		['$now.toISO()', []],
		['$json.a?.b?.trim() + $json?.c', ['$json.a?.b', '$json?.c']],
		['$json.a && $json.b', ['$json.a', '$json.b']],
		['$jsonOther + my$json.a', []],
		['`a` + `${1}b` + $json.a', ['$json.a']],
		['`${{ a: 1 }.a + $json.a} $json.b`', ['$json.a']],
		['1 / $json.a / 2', ['$json.a']],
		['x.if + $json.a', ['$json.a']],
		['`$json.b', []],
		['{{ $json.a }}', ['$json.a']],
	])('%s: %j', (code, references) => {
		expect(neededReferences(code)).toEqual(references);
	});

	test.each([
		'"a" + ($json.a ?? "none")',
		'"a" + ($json.a || $json.b)',
		'$json.a ? $json.a : $json.b',
		'$json.a?.5:$json.b',
		'`order ${$json.a ?? "none"}`',
		'`order` + ($json.a ?? `none`)',
		'`order ${7}` + ($json.a ?? "none")',
		'`a ${`b ${$json.a || { b: "}" }.b}`}`',
		'$if($json.a, $json.a, "none")',
		'$ifEmpty($json.a, "none")',
		'(() => { if ($json.a) return $json.a; return "none"; })()',
		'(() => { switch ($json.a) { default: return "none"; } })()',
		'(() => { try { return $json.a.b; } catch { return "none"; } })()',
		'JSON.stringify([$json.a, $json.b])',
		'[$json.a, $json.b].toJsonString()',
	])('are none where the code says what comes instead: %s', (code) => {
		expect(neededReferences(code)).toEqual([]);
	});

	test.each([
		'$json.a + "||"',
		"$json.a + 'is it \\' ?? b'",
		'`https://example.com/?id=${$json.a}&at=10:30`',
		"`it's ${$json.a} || ${7}`",
		'`${{ a: `}` }.a}?:${$json.a}`',
		'`\\`\\${ ?? ${$json.a}`',
		'$json.a.replace(/[?:/]|\\/b??/g, "")',
		'[/a||b/, $json.a]',
		'$json.a /* or ?? */ + 1',
		'$json.a + 1 // or ?? what',
		'$json.a / 2 + "?" + 4 / 2',
		'"$json.b" + $json.a',
		'`$json.b ${$json.a}',
		'`${$json.a} \\',
		'$json.a["ifEmpty ?? "].if',
	])('are found where a text, a pattern or a comment only looks like a fallback: %s', (code) => {
		expect(neededReferences(code)).toEqual([expect.stringContaining('$json.a')]);
	});
});
